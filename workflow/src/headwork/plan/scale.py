"""A scale: its settings, its runs by kind, and its studies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.settings.run_sheets import LEARNED
from headwork.settings.studies import Study

# keys of a corpus that say what is learned on its text, or compared with it, not how the text is made
BESIDE_TEXT = ("alignments", "treebank", "subwords", "parser", "stands_for")
# keys of a task that say where its files lie
PLACES = ("path", "trees", "download", "folder", "dev_ids")
# the columns of a run sheet that decide a model's weights, or name it; recipe and architecture count by what they say
DECIDING = ("run", "corpus", "objective", "seed", "init_run", "gates", "penalty", "target")

Row = Mapping[str, Any]


@dataclass
class Scale:
    """The settings of a scale (`config`), its run sheets as one table indexed by run, and its studies by key.

    Properties that are lists of runs are in the order of the sheets. A scale laid over another may leave corpora, texts
    and tasks behind that none of its runs uses.
    """

    config: dict[str, Any]
    runs: pd.DataFrame
    studies: Mapping[str, Study]

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of the run sheets by run."""
        return {row["run"]: row for row in self.runs.to_dict("records")}

    @cached_property
    def sheet(self) -> list[dict[str, Any]]:
        """The rows of the run sheets."""
        return list(self.rows.values())

    def with_objective(self, objective: str, column: str = "run") -> list[str]:
        """The values of that column in the rows of runs with that objective, each once."""
        return list(dict.fromkeys(row[column] for row in self.sheet if row["objective"] == objective))

    @cached_property
    def used(self) -> list[str]:
        """The parallel corpora that runs are trained on, in the order of the config."""
        trained_on = set(self.runs["corpus"])
        return [name for name in self.config["corpora"] if name in trained_on]

    @cached_property
    def translating(self) -> list[str]:
        """Translation models."""
        return self.with_objective("translation")

    @cached_property
    def masked(self) -> list[str]:
        """Masked language models of running text: BERT."""
        return [run for run in self.with_objective("mlm") if self.corpus_of(run) in self.config["texts"]]

    @cached_property
    def language(self) -> list[str]:
        """Language models over the source side of a corpus, whose encoder is that of a translation model."""
        models = [*self.with_objective("lm"), *self.with_objective("mlm")]
        return [run for run in models if run not in self.masked]

    @cached_property
    def classifying(self) -> list[str]:
        """Fine-tuned models."""
        return self.with_objective("classification")

    @cached_property
    def whole(self) -> list[str]:
        """Translation models that have all their heads."""
        return [run for run in self.translating if self.rows[run]["gates"] == "none"]

    @cached_property
    def with_gates(self) -> list[str]:
        """Translation models with gates on their heads, learned ones or a mask."""
        return [run for run in self.translating if run not in self.whole]

    @cached_property
    def watched(self) -> list[str]:
        """Translation models whose weights are kept after some updates."""
        return [run for run in self.whole if self.part(run, "recipe").get("snapshots")]

    @cached_property
    def pruned(self) -> list[str]:
        """Runs whose gates were learned on the weights of a run that has all its heads: the two can be compared."""
        return [row["run"] for row in self.sheet if row["gates"] in LEARNED and row["init_run"]]

    @cached_property
    def encoders(self) -> list[str]:
        """Runs that have an encoder, fine-tuned ones apart."""
        return [*self.translating, *self.language, *self.masked]

    @cached_property
    def from_hub(self) -> list[str]:
        """Architectures that are models of the hub or of a package; a model may also be a folder."""
        return [
            name
            for name, entry in self.config["architectures"].items()
            if "model" in entry and not Path(entry["model"]).is_dir()
        ]

    def corpus_of(self, run: str) -> str:
        """The corpus, text or task that a run is trained on."""
        return self.rows[run]["corpus"]

    def part(self, run: str, column: str) -> dict[str, Any]:
        """The settings that a run names in the column `recipe` or `architecture`."""
        return self.config[f"{column}s"][self.rows[run][column]]

    def deciding(self, run: str) -> dict[str, Any]:
        """The cells of a run's row that decide its weights."""
        return {column: self.rows[run][column] for column in DECIDING}

    def corpus_settings(self, corpus: str) -> dict[str, Any]:
        """The settings that say how the text of a corpus is made."""
        entry = self.config["corpora"][corpus]
        return {key: value for key, value in entry.items() if key not in BESIDE_TEXT}

    def task_settings(self, run: str) -> dict[str, Any]:
        """The task of a fine-tuned run: its settings but for where its files lie."""
        entry = self.config["tasks"][self.corpus_of(run)]
        return {key: value for key, value in entry.items() if key not in PLACES}

    def domains(self, corpus: str) -> list[str]:
        """The domains of the miniature world that a corpus is made of; none if it is made of real text."""
        return embedded(self.config["corpora"][corpus]["sources"])


def embedded(sources: Sequence[Row]) -> list[str]:
    """The domains of the miniature world among the sources of a text."""
    return [source["domain"] for source in sources if source["type"] == "embedded"]


def world(domains: Iterable[str], ending: str = "conllu") -> list[str]:
    """The files of these domains of the miniature world: their trees, or those with another ending."""
    return [f"<results>/corpora/world/{domain}.{ending}" for domain in domains]
