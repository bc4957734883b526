"""How much tokens of each group influence the others in one run, from its states on disk: see `influence`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.representations.distances.influence import influences
from headwork.representations.jobs.evolution import EvolutionSettings, grouped
from headwork.representations.states.hidden_states import States, reader_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.options import options, require

OTHERS = ("all", "later")


@dataclass(frozen=True)
class InfluenceSettings:
    """`tokens` that are compared for each group; `others`: all of the sentence, or in a causal model those later.

    `batch`: tokens at a time, padding included.
    """

    tokens: int = 10_000
    others: str = "all"
    batch: int = 4000
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.others in OTHERS, f"influence: others is '{self.others}'; choose {' or '.join(OTHERS)}")


def influence_run(
    model_folder: str | Path,
    states_folder: str | Path,
    words_path: str | Path,
    train_text: str | Path,
    settings: Mapping[str, Any],
    evolution: Mapping[str, Any],
    table_path: str | Path,
    device: str = "cpu",
) -> None:
    """Write a table with the columns of `change.COLUMNS`, for the groups and the variant of the settings `evolution`.

    Raises InputError for too few tokens, with the numbers.
    """
    chosen, beside = (
        options(InfluenceSettings, settings, "influence"),
        options(EvolutionSettings, evolution, "evolution"),
    )
    model, _ = hub.load(model_folder)
    layers = Layers(reader_of(model.to(device)))
    states = States(states_folder)
    _, groups = grouped(model_folder, states, read_parquet(words_path), train_text, beside.groups)
    later = chosen.others == "later" and layers.causal
    table = influences(
        layers, states, groups, chosen.tokens, beside.variant, chosen.seed, later, chosen.batch
    )
    write_table(table_path, table)
