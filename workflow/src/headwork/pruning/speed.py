"""Translation speed of a model without its closed heads, relative to the unpruned model.

Both translate the same sentences with the same beam search in one job, in alternation, so that other load slows down
both. The fastest turns are compared, as in Python's `timeit`, since additional time is due to other load. The engine is
`transformers`, which runs both models in their own shapes; CTranslate2 would run the smaller one with heads of zeros
put back (`headwork.models.scoring.ctranslate2`).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from headwork.corpora.sources.readers import lines
from headwork.models.scoring.beam_search import Translator
from headwork.models.training.provenance import hardware
from headwork.run.outputs import write_json
from headwork.settings.options import options, require

ENGINE = "transformers"


@dataclass(frozen=True)
class SpeedSettings:
    """`sentences`: number of test sentences translated, from the first (None: all). `repeats`: turns of each model."""

    sentences: int | None = 64
    repeats: int = 5

    def __post_init__(self) -> None:
        for name in ("sentences", "repeats"):
            value = getattr(self, name)
            require(value is None or value > 0, f"pruning: speed: {name} is {value}; it must be 1 or more")


def time_run(
    whole_folder: str | Path,
    smaller_folder: str | Path,
    source: str | Path,
    translation: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    output: str | Path,
    threads: int = 1,
    device: str = "cpu",
) -> None:
    """Write sentences per second of the models in both folders, `whole` and `smaller`, to the JSON file `output`.

    `translation` is the config's part of that name; its engine is not used. `ratio` is smaller to whole. Raises
    `InputError` for invalid settings or folders.
    """
    how = options(SpeedSettings, settings, "pruning: speed")
    search = {key: value for key, value in translation.items() if key != "scoring"} | {"engine": ENGINE}
    sentences = [line.text for line in islice(lines(Path(source)), how.sentences)]
    turns = {}
    for name, folder in (("whole", whole_folder), ("smaller", smaller_folder)):
        turns[name] = partial(Translator(folder, search, threads=threads, device=device), sentences, source)
    seconds = by_turns(turns, how.repeats)
    speed = {name: len(sentences) / min(each) for name, each in seconds.items()}
    write_json(
        output,
        {
            "engine": ENGINE,
            "sentences": len(sentences),
            "sentences_per_second": speed,
            "ratio": speed["smaller"] / speed["whole"],
            "seconds": seconds,
            "threads": threads,
            "hardware": hardware(),
        },
    )


def by_turns(
    turns: Mapping[str, Callable[[], Any]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Return the seconds of each function, `repeats` times, after one untimed run.

    The order alternates between repeats.
    """
    for turn in turns.values():
        turn()
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    order = list(turns)
    for _ in range(repeats):
        for name in order:
            started = clock()
            turns[name]()
            seconds[name].append(clock() - started)
        order.reverse()
    return seconds
