"""Translation speed of a model without its closed heads, relative to the unpruned model.

Both translate the same sentences with the same beam search in one job, in alternation, so that other load slows down
both. The fastest turns are compared, as in Python's `timeit`, since additional time is due to other load. The engine is
`transformers`, which runs both models in their own shapes; CTranslate2 would run the smaller one with heads of zeros
put back (`headwork.models.scoring.ctranslate2`).
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from headwork.corpora.sources.readers import lines
from headwork.models.scoring.beam_search import Translator
from headwork.models.training.provenance import hardware
from headwork.settings.models import BeamSearch
from headwork.settings.pruning import SpeedSettings

ENGINE = "transformers"


def time_run(
    whole: Path,
    smaller: Path,
    source: Path,
    translation: BeamSearch,
    settings: SpeedSettings,
    threads: int = 1,
    device: str = "cpu",
) -> dict[str, Any]:
    """Sentences per second of the models in both folders, with the seconds of each turn; `ratio` is smaller to whole.

    The engine of `translation` is not used. Raises `InputError` for invalid folders.
    """
    search = translation.model_copy(update={"engine": ENGINE})
    sentences = [line.text for line in islice(lines(source), settings.sentences)]
    turns = {}
    for name, folder in (("whole", whole), ("smaller", smaller)):
        turns[name] = partial(Translator(folder, search, threads=threads, device=device), sentences, source)
    seconds = by_turns(turns, settings.repeats)
    speed = {name: len(sentences) / min(each) for name, each in seconds.items()}
    return {
        "engine": ENGINE,
        "sentences": len(sentences),
        "sentences_per_second": speed,
        "ratio": speed["smaller"] / speed["whole"],
        "seconds": seconds,
        "threads": threads,
        "hardware": hardware(),
    }


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
