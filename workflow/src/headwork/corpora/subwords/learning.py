"""Subwords learned over all sides of a corpus, saved as tokenizer.json: byte-pair encoding, or BERT's WordPiece.

`bpe` (Sennrich et al. 2016), for translation: text is in words with spaces between them, so pieces stay inside words;
the last piece of a word ends in `</w>`. `<pad>` is 0, `</s>` 1, `<unk>` 2, and `</s>` closes every sentence.

`wordpiece` (Devlin et al. 2019), for encoders: text is cleaned and split at spaces and punctuation as BERT does it; a
subword token that does not begin a word begins with `##`. `[PAD]` is 0, `[UNK]` 1, `[CLS]` 2, `[SEP]` 3, `[MASK]` 4,
and sentences become `[CLS] A [SEP]` or `[CLS] A [SEP] B [SEP]`.

transformers loads either file as `PreTrainedTokenizerFast(tokenizer_file=...)`.
"""

import json
import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, compress, cycle
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.settings.base import require
from headwork.settings.corpora import Subwords

SPECIALS = ("<pad>", "</s>", "<unk>")
END_OF_WORD = "</w>"
BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WITHIN_WORD = "##"


def learn(texts: Sequence[Path], settings: Subwords) -> Tokenizer:
    """One tokenizer for all `texts`. `InputError` if the vocabulary has no room for the alphabet.

    `tokenizers` numbers characters that end words (in WordPiece: that do not begin them), and so breaks ties between
    merges, in the order of a hash map, which differs from process to process; they are therefore given to it
    beforehand, in order.
    """
    step = _step(texts, settings.sample)
    learned = (_bpe if settings.kind == "bpe" else _wordpiece)(texts, step, settings)
    logging.info("%d pieces learned", learned.get_vocab_size())
    return learned


def _bpe(texts: Sequence[Path], step: int, settings: Subwords) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix=END_OF_WORD))
    if settings.lowercase:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words = _words(texts, step, tokenizer)
    alphabet = _alphabet(words, settings.alphabet)
    final = sorted(set(alphabet) & {word[-1] for word in words})
    _check_room(settings.vocabulary, SPECIALS, alphabet, final, "end words")
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
    return _finished_bpe(tokenizer)


def _wordpiece(texts: Sequence[Path], step: int, settings: Subwords) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=settings.lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words = _words(texts, step, tokenizer)
    alphabet = _alphabet(words, settings.alphabet)
    inner = sorted(set(alphabet) & set("".join(word[1:] for word in words)))
    _check_room(settings.vocabulary, BERT_SPECIALS, alphabet, inner, "stand within words")
    trainer = trainers.WordPieceTrainer(
        vocab_size=settings.vocabulary,
        min_frequency=settings.min_frequency,
        special_tokens=[*BERT_SPECIALS, *(WITHIN_WORD + character for character in inner)],
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        continuing_subword_prefix=WITHIN_WORD,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_sample(texts, step), trainer)
    return _finished_wordpiece(tokenizer)


def _step(texts: Sequence[Path], sample: int | None) -> int:
    """Return n, where every n-th line is used for learning."""
    total = sum(1 for path in texts for _ in lines(path))
    return -(-total // sample) if sample else 1


def _sample(texts: Sequence[Path], step: int) -> Iterator[str]:
    every = chain.from_iterable(lines(path) for path in texts)
    return (text for _, text in compress(every, cycle([True] + [False] * (step - 1))))


def _words(texts: Sequence[Path], step: int, tokenizer: Tokenizer) -> Counter[str]:
    """Word -> occurrences in the sample, as the tokenizer normalises and splits it."""
    found: Counter[str] = Counter()
    for text in _sample(texts, step):
        found.update(text.split())
    words: Counter[str] = Counter()
    for word, count in found.items():
        if tokenizer.normalizer:
            word = tokenizer.normalizer.normalize_str(word)
        for part, _ in tokenizer.pre_tokenizer.pre_tokenize_str(word):
            words[part] += count
    return words


def _alphabet(words: Mapping[str, int], size: int) -> list[str]:
    """The most frequent characters, which get a subword token; in order."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    return sorted(sorted(counts, key=lambda character: (-counts[character], character))[:size])


def _check_room(
    vocabulary: int, specials: Sequence[str], alphabet: list[str], others: list[str], what: str
) -> None:
    require(
        vocabulary >= len(specials) + len(alphabet) + len(others),
        f"subwords: a vocabulary of {vocabulary} has no room for {len(specials)} specials, "
        f"{len(alphabet)} characters and {len(others)} that {what}; raise `vocabulary` or lower `alphabet`",
    )


def _finished_bpe(learned: Tokenizer) -> Tokenizer:
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


def _finished_wordpiece(learned: Tokenizer) -> Tokenizer:
    """The learned pieces in a tokenizer of which only the five specials are special."""
    tokenizer = Tokenizer(
        models.WordPiece(learned.get_vocab(), unk_token="[UNK]", continuing_subword_prefix=WITHIN_WORD)
    )
    tokenizer.add_special_tokens(list(BERT_SPECIALS))
    tokenizer.normalizer = learned.normalizer
    tokenizer.pre_tokenizer = learned.pre_tokenizer
    tokenizer.decoder = decoders.WordPiece(prefix=WITHIN_WORD)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(piece, tokenizer.token_to_id(piece)) for piece in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def save(tokenizer: Tokenizer, path: Path) -> None:
    """Write tokenizer.json atomically."""
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(part))
    os.replace(part, path)


def load(path: Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json; `InputError` if it cannot be read as one."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise InputError.at(
            path, f"the file is not a tokenizer.json ({error}); learn the subwords again"
        ) from error
