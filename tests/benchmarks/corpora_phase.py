"""The corpora phase on so many generated pairs, in a process of its own.

As a program: the number of pairs; prints, for cleaning and splitting, for learning subwords and counting their
frequencies, and for cutting both sides of the training pairs, the CPU seconds and the MiB beyond what the process
held before the first.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from memory import forget_peak, peak

STEPS = ("clean and split", "subwords", "cut")


def write_pairs(folder: Path, pairs: int) -> None:
    """Sentences of 10 to 20 words of a Zipfian vocabulary of 30,000, and the same with their words reversed."""
    random.seed(7)
    syllables = ["ka", "ri", "mo", "te", "lun", "sor", "vi", "pa", "dre", "osh", "ne", "gul"]
    words = ["".join(random.choices(syllables, k=random.randint(1, 5))) for _ in range(30_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    with open(folder / "big.en", "w") as source, open(folder / "big.karvan", "w") as target:
        for _ in range(pairs):
            sentence = random.choices(words, cum_weights=weights, k=random.randint(10, 20))
            source.write(" ".join(sentence) + "\n")
            target.write(" ".join(word[::-1] for word in sentence) + "\n")


def main(pairs: int) -> dict[str, dict[str, float]]:
    """CPU seconds and peak MiB by step."""
    from headwork.corpora.parallel.prepare import prepare
    from headwork.corpora.sources.locations import Places
    from headwork.corpora.subwords import frequencies, learning
    from headwork.models.loading.checkpoints import read_tokenizer
    from headwork.models.training.batches import TranslationData
    from headwork.settings.corpora import ParallelText

    found: dict[str, dict[str, float]] = {}

    @contextmanager
    def step(name: str) -> Iterator[None]:
        forget_peak()
        start = time.process_time()
        yield
        found[name] = {"seconds": time.process_time() - start, "extra": peak() - before}

    with TemporaryDirectory() as folder:
        data, output = Path(folder), Path(folder) / "corpus"
        write_pairs(data, pairs)
        before = forget_peak()
        with step("clean and split"):
            cleaning = {"scripts": {"en": "Latin", "karvan": "Latin"}}
            sources = [{"type": "local", "path": "big"}]
            how = {"source": "en", "target": "karvan", "sources": sources, "cleaning": cleaning}
            prepare(ParallelText.read(how | {"tokenisation": "none"}, "corpus"), output, Places(data))
        texts = {side: output / f"train.{side}.txt" for side in ("source", "target")}
        with step("subwords"):
            tokenizer = learning.learn(list(texts.values()), learning.Subwords())
            learning.save(tokenizer, output / "tokenizer.json")
            frequencies.save(frequencies.frequencies(texts, tokenizer), output / "frequencies.parquet")
        with step("cut"):
            TranslationData.read(*texts.values(), read_tokenizer(output / "tokenizer.json"), 128)
    return found


@cache
def corpora(pairs: int) -> dict[str, dict[str, float]]:
    """The same, once a run, measured in another process."""
    from own_process import measured

    return measured(__file__, pairs, for_memory=True)


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
