"""English of the smallest kind: in a sentence, every word is followed by its successor; and two tasks about it."""

import random
from pathlib import Path

from transformers import PreTrainedTokenizerFast

from headwork.corpora.subwords.learning import learn, save
from headwork.models.loading.checkpoints import read_tokenizer
from headwork.models.objectives.encoder_batches import MaskedSegments
from headwork.models.objectives.masking import Masking
from headwork.settings.corpora import SegmentSettings, Subwords
from headwork.settings.models import MaskingSettings

WORDS = [consonant + vowel for consonant in "bdfg" for vowel in "aeiou"]
GOOD = ("ba", "do", "fi", "gu")

ARCHITECTURE = {
    "family": "bert",
    "layers": 1,
    "heads": 2,
    "width": 32,
    "feed_forward": 64,
    "max_positions": 40,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "spread": 0.1,
}
RECIPE = {
    "steps": 20,
    "tokens_per_batch": 300,
    "peak_rate": 5e-3,
    "warmup_steps": 10,
    "evaluate_every": 10,
    "checkpoint_every": 10,
    "precision": "fp32",
    "segments": {"pieces": 32},
}
ROW = {"run": "toy", "objective": "mlm", "recipe": "toy", "seed": 1, "gates": "none"}


def sentence(chance: random.Random, longest: int = 7) -> str:
    """Words that follow each other in `WORDS`, which is a ring."""
    start = chance.randrange(len(WORDS))
    return " ".join(WORDS[(start + n) % len(WORDS)] for n in range(chance.randint(4, longest)))


def write_paragraphs(folder: Path, counts: dict[str, int], seed: int = 0) -> Path:
    """So many paragraphs of two to four sentences of each split, and the tokenizer: a piece a word."""
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        paragraphs = ["\n".join(sentence(chance) for _ in range(chance.randint(2, 4))) for _ in range(count)]
        (folder / f"{split}.txt").write_text("\n\n".join(paragraphs) + "\n")
    (folder / "words").write_text("\n".join(WORDS * 3) + "\n")
    save(learn([folder / "words"], Subwords(kind="wordpiece", vocabulary=60)), folder / "tokenizer.json")
    (folder / "words").unlink()
    return folder


def tokenizer_of(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a folder of paragraphs."""
    return read_tokenizer(folder / "tokenizer.json")


def segments_of(folder: Path, split: str, seed: int = 1, **more: bool) -> MaskedSegments:
    """The masked segments of a split."""
    tokenizer = tokenizer_of(folder)
    masking = Masking(tokenizer, MaskingSettings())
    return MaskedSegments.read(
        folder / f"{split}.txt", tokenizer, SegmentSettings(pieces=32), masking, seed, **more
    )


def write_sentiment(folder: Path, counts: dict[str, int], seed: int = 0) -> Path:
    """SST-2: a sentence is positive if a good word is in it."""
    chance = random.Random(seed)
    plain = [word for word in WORDS if word not in GOOD]
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        rows = ["sentence\tlabel"]
        for number in range(count):
            words = chance.choices(plain, k=chance.randint(3, 9))
            if number % 2:
                words[chance.randrange(len(words))] = chance.choice(GOOD)
            rows.append(f"{' '.join(words)}\t{number % 2}")
        (folder / f"{split}.tsv").write_text("\n".join(rows) + "\n")
    return folder


def write_similarity(folder: Path, counts: dict[str, int], seed: int = 0) -> Path:
    """STS-B: a score is five times the share of good words among the four of the second sentence."""
    chance = random.Random(seed)
    plain = [word for word in WORDS if word not in GOOD]
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        rows = ["index\tsentence1\tsentence2\tscore"]
        for number in range(count):
            good = chance.randint(0, 4)
            words = chance.sample(GOOD, good) + chance.sample(plain, 4 - good)
            chance.shuffle(words)
            rows.append(f"{number}\t{chance.choice(plain)}\t{' '.join(words)}\t{1.25 * good}")
        (folder / f"{split}.tsv").write_text("\n".join(rows) + "\n")
    return folder
