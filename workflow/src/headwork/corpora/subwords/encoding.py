"""Text as the subword tokens that a tokenizer's own call gives, special tokens and language codes included.

A call with defaults neither pads nor truncates, whatever an earlier one left set in the tokenizer's backend. Targets
are encoded as ``tokenizer(text_target=...)`` does: some tokenizers of translation (NLLB, mBART) write the target
language there, and others (Marian) have a vocabulary of their own for it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tokenizers import Encoding, Tokenizer
from transformers import BatchEncoding, PreTrainedTokenizerBase

from headwork.errors import InputError

PLAIN = {"padding": False, "truncation": False, "verbose": False}


def ids_of(
    tokenizer: PreTrainedTokenizerBase, lines: Sequence[str], target: bool = False, special: bool = True
) -> list[list[int]]:
    """The ids of each line; with `target`, as a translation. Raises InputError as `encoding_of` does."""
    lines = list(lines)
    return _called(tokenizer, lines, target, add_special_tokens=special)["input_ids"] if lines else []


def encoding_of(
    tokenizer: Tokenizer | PreTrainedTokenizerBase, text: str | list[str], target: bool = False
) -> Encoding:
    """Ids, offsets and words of one text, or of its words one by one.

    Raises InputError for a tokenizer that has languages and does not know that of its targets.
    """
    words = isinstance(text, list)
    if isinstance(tokenizer, Tokenizer):
        return plain(tokenizer).encode(text, is_pretokenized=words)
    return _called(tokenizer, text, target, is_split_into_words=words).encodings[0]


def _called(tokenizer: PreTrainedTokenizerBase, text: Any, target: bool, **how: Any) -> BatchEncoding:
    if target and getattr(tokenizer, "tgt_lang", "") is None:
        raise InputError(
            f"{type(tokenizer).__name__} writes the language of a translation before it or after it, and does not know "
            "which; name it (target_language)"
        )
    try:
        return tokenizer(**{"text_target" if target else "text": text}, **PLAIN, **how)
    except TypeError as error:
        whole = text if isinstance(text, str) else " ".join(text)
        if half := re.search("[\ud800-\udfff]", whole):
            raise InputError(
                f"after {whole[: half.start()][-20:]!r} stands U+{ord(half[0]):04X}, half of a character, which no "
                "tokenizer reads; read the text as UTF-8 again"
            ) from error
        raise


def plain(backend: Tokenizer) -> Tokenizer:
    """The tokenizer, or a copy of it without truncation and padding if it has any."""
    return _without_lengths(backend) if backend.truncation or backend.padding else backend


@lru_cache(maxsize=8)
def _without_lengths(backend: Tokenizer) -> Tokenizer:
    copy = Tokenizer.from_str(backend.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def set_languages(
    tokenizer: PreTrainedTokenizerBase, source: str | None = None, target: str | None = None
) -> None:
    """Name the languages that a tokenizer writes beside its texts; None leaves one as it is.

    Raises InputError for a tokenizer without languages, and for a code that it does not know.
    """
    for attribute, code in (("src_lang", source), ("tgt_lang", target)):
        if code is None:
            continue
        if not hasattr(tokenizer, "src_lang"):
            raise InputError(
                f"{type(tokenizer).__name__} has no languages to choose from; leave {code!r} out"
            )
        known = set(getattr(tokenizer, "lang_code_to_id", ())) or set(tokenizer.all_special_tokens)
        if code not in known:
            some = ", ".join(sorted(each for each in known if each[:2] == code[:2])[:8])
            hint = (
                f"; it knows {some}"
                if some
                else "; write it as the tokenizer does, such as fra_Latn or fr_XX"
            )
            raise InputError(f"{type(tokenizer).__name__} does not know the language {code!r}{hint}")
        setattr(tokenizer, attribute, code)
