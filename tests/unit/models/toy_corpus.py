"""A language pair of the smallest kind: the target says the source's words backwards, with another ending."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from headwork.corpora.subwords.learning import learn
from headwork.models.loading.checkpoints import read_tokenizer
from headwork.models.training.batches import TranslationData
from headwork.settings.corpora import Subwords

WORDS = [consonant + vowel for consonant in "bdfgklmn" for vowel in "aeiou"]

ARCHITECTURE = {
    "family": "pegasus",
    "encoder_layers": 1,
    "decoder_layers": 1,
    "heads": 2,
    "width": 32,
    "feed_forward": 64,
    "max_positions": 40,
}
RECIPE = {
    "steps": 20,
    "tokens_per_batch": 200,
    "peak_rate": 5e-3,
    "warmup_steps": 10,
    "evaluate_every": 10,
    "checkpoint_every": 10,
    "precision": "fp32",
}


def write_corpus(folder: Path, pairs: dict[str, int], seed: int = 0, longest: int = 6) -> Path:
    """Write the files of a corpus folder: so many pairs of each split, and the tokenizer."""
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in pairs.items():
        sources = [chance.choices(WORDS, k=chance.randint(1, longest)) for _ in range(count)]
        targets = [[f"{word}x" for word in reversed(source)] for source in sources]
        for side, sentences in ("source", sources), ("target", targets), ("reference", targets):
            text = "".join(" ".join(words) + "\n" for words in sentences)
            (folder / f"{split}.{side}.txt").write_text(text, encoding="utf-8")
    bpe(WORDS + [f"{word}x" for word in WORDS]).save(str(folder / "tokenizer.json"))
    return folder


def bpe(words: list[str], vocabulary: int = 90) -> Tokenizer:
    """A tokenizer as the corpora phase makes it, the same in every process."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "words"
        text.write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
        return learn([text], Subwords(vocabulary=vocabulary, min_frequency=1))


def tokenizer_of(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a corpus folder."""
    return read_tokenizer(folder / "tokenizer.json")


def data_of(folder: Path, split: str, longest: int = 40) -> TranslationData:
    """The pairs of a split."""
    files = (folder / f"{split}.{side}.txt" for side in ("source", "target"))
    return TranslationData.read(*files, tokenizer_of(folder), longest)
