"""Byte-pair encoding (Sennrich et al. 2016) learned over both sides of a corpus, saved as tokenizer.json.

Text is in words with spaces between them, so pieces stay inside words; the last piece of a word ends in
`</w>`. `<pad>` is 0, `</s>` 1, `<unk>` 2, and `</s>` closes every sentence. transformers loads the file as
`PreTrainedTokenizerFast(tokenizer_file=...)`.
"""

import json
import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, cycle
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from headwork.corpora.readers import lines
from headwork.errors import InputError

SPECIALS = ("<pad>", "</s>", "<unk>")
END_OF_WORD = "</w>"


@dataclass(frozen=True)
class Subwords:
    """Settings: the size of the vocabulary (with specials), and how it is learned.

    `lowercase` normalises text before it is split into pieces (voita2019's data are lower-cased). Pairs of
    pieces rarer than `min_frequency` are not merged. `sample` is the most lines learned from, evenly spread
    over the files (None: all); `alphabet` the most characters that get a piece: rarer ones are `<unk>`.
    """

    vocabulary: int = 8000
    lowercase: bool = False
    min_frequency: int = 2
    sample: int | None = 500_000
    alphabet: int = 1000


def learn(texts: Sequence[Path], settings: Subwords) -> Tokenizer:
    """One tokenizer for all `texts`. `InputError` if the vocabulary has no room for the alphabet.

    `tokenizers` numbers word-final characters, and so breaks ties between merges, in the order of a hash
    map, which differs from process to process; they are therefore given to it beforehand, in order.
    """
    step = _step(texts, settings.sample)
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix=END_OF_WORD))
    if settings.lowercase:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    alphabet, final = _alphabet(_sample(texts, step), tokenizer.normalizer, settings.alphabet)
    if settings.vocabulary < len(SPECIALS) + len(alphabet) + len(final):
        raise InputError(
            f"subwords: a vocabulary of {settings.vocabulary} has no room for {len(SPECIALS)} specials, "
            f"{len(alphabet)} characters and {len(final)} that end words; raise `vocabulary` or lower `alphabet`"
        )
    trainer = trainers.BpeTrainer(
        vocab_size=settings.vocabulary,
        min_frequency=settings.min_frequency,
        special_tokens=[*SPECIALS, *(character + END_OF_WORD for character in final)],
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        end_of_word_suffix=END_OF_WORD,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_sample(texts, step), trainer)
    logging.info("%d pieces learned", tokenizer.get_vocab_size())
    return _finished(tokenizer, settings)


def _step(texts: Sequence[Path], sample: int | None) -> int:
    """Every how manyeth line is learned from."""
    total = sum(1 for path in texts for _ in lines(path))
    return -(-total // sample) if sample else 1


def _sample(texts: Sequence[Path], step: int) -> Iterator[str]:
    every = chain.from_iterable(lines(path) for path in texts)
    return (text for _, text in compress(every, cycle([True] + [False] * (step - 1))))


def _alphabet(
    sample: Iterator[str], normalizer: normalizers.Normalizer | None, size: int
) -> tuple[list[str], list[str]]:
    """The characters that get a piece, and those of them that end words; both in order."""
    words: Counter[str] = Counter()
    for text in sample:
        words.update((normalizer.normalize_str(text) if normalizer else text).split())
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    common = sorted(counts, key=lambda character: (-counts[character], character))[:size]
    return sorted(common), sorted(set(common) & {word[-1] for word in words})


def _finished(learned: Tokenizer, settings: Subwords) -> Tokenizer:
    """The learned pieces in a tokenizer of which only the three specials are special."""
    model = json.loads(learned.to_str())["model"]
    merges = [tuple(merge) for merge in model["merges"]]
    tokenizer = Tokenizer(
        models.BPE(model["vocab"], merges, unk_token="<unk>", end_of_word_suffix=END_OF_WORD)
    )
    tokenizer.add_special_tokens(list(SPECIALS))
    tokenizer.normalizer = learned.normalizer
    tokenizer.pre_tokenizer = learned.pre_tokenizer
    tokenizer.decoder = decoders.BPEDecoder(suffix=END_OF_WORD)
    end = ("</s>", tokenizer.token_to_id("</s>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B:1 </s>:1", special_tokens=[end]
    )
    return tokenizer


def save(tokenizer: Tokenizer, path: Path) -> None:
    """Write tokenizer.json; the file is whole or not there."""
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(part))
    os.replace(part, path)


def load(path: Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json; `InputError` if it cannot be read as one."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise InputError.at(path, f"not a tokenizer.json ({error}); learn the subwords again") from error
