"""Which rules' work one job does, at scales whose config says `together`.

A part of a job is the name of a rule and its wildcards. Importing torch and transformers takes seconds, so one process
does what would be several jobs: all points of a pruning sweep, a task's seeds, all that is read of one model.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from headwork.plan.studied import Studied
from headwork.plan.trained import Trained

Part = tuple[str, dict[str, str]]

# Rules that measure one run, in the order in which one may read what another wrote.
PROBES = ("structural_probes", "edge_probes")
TRANSLATION = ("translate", "heads", "relevance", "induced_trees", "tags", *PROBES, "alignments")
TRANSLATION += ("translation_measures", "remove_heads")
MASKED = ("piece_frequencies", "segment_heads", "plane", "word_heads", "probes", "sensitivity")
MASKED += ("induced_trees", "tags", *PROBES, "geometry", "senses")
TASK = ("task_heads", "disabling", "attribution", "ranking", "measures")
# What is read by other rules, and so is wanted if these are.
BESIDE = {
    "relevance": "translation_measures",
    "attribution": "ranking",
    "piece_frequencies": "segment_heads",
    "segment_heads": "plane",
}


class Job(NamedTuple):
    """A job: its name, its message, and its parts."""

    name: str
    message: str
    parts: list[Part]


class Together:
    """The jobs of a scale. `makes` gives the files, below ``<results>``, that a rule writes for its wildcards."""

    def __init__(
        self, trained: Trained, studied: Studied, makes: Callable[[str, dict[str, str]], set[str]]
    ) -> None:
        self.trained, self.studied, self.makes = trained, studied, makes
        self.scale, self.config = trained.scale, trained.config

    def jobs(self) -> list[Job]:
        """All jobs of several parts; none, if each rule's work is a job of its own at this scale."""
        if not self.config["together"]:
            return []
        found = [*self._of_corpora(), *self._of_trainings(), *self._of_measurements()]
        return [
            Job(re.sub("[ -]", "_", name), f"{doing} {name.split()[1]}, {len(parts)} steps", parts)
            for name, doing, parts in found
            if len(parts) > 1
        ]

    @cached_property
    def _wanted(self) -> set[str]:
        return self.studied.wanted()

    def is_wanted(self, rule: str, **wildcards: str) -> bool:
        """Whether items, claims or another part of the job read what a rule writes; all translations are scored."""
        others = rule in BESIDE and self.is_wanted(BESIDE[rule], **wildcards)
        return rule == "translate" or others or not self._wanted.isdisjoint(self.makes(rule, wildcards))

    def _measuring(self, rules: Iterable[str], runs: Iterable[str]) -> list[Part]:
        """What items and claims read of these runs."""
        return [(rule, {"run": run}) for run in runs for rule in rules if self.is_wanted(rule, run=run)]

    def _parses(self, corpus: str) -> list[Part]:
        """The trees of a corpus, how good they are, and the relations counted in them."""
        which = {"corpus": corpus, "split": self.config["heads"]["split"]}
        parsed = self.config["corpora"][corpus]["parser"] != "gold"
        rules = ["gold_parses"] * bool(self.scale.domains(corpus)) + ["stanza_parses"] * parsed
        rules += ["parser_scores"] * (corpus in self.trained.annotated.scored())
        rules += ["relations"] * self.is_wanted("relations", **which)
        return [(rule, which) for rule in rules]

    def _layers(self, run: str) -> list[Part]:
        """What layers of a run know and change, from its hidden states on."""
        masked = self.trained.reads_masks(run) and run in self._followed["evolution"]
        readings = ["whole"] + ["masked"] * masked
        parts = [("states", {"run": run, "reading": reading}) for reading in readings]
        return parts + [(table, {"run": run}) for table, runs in self._followed.items() if run in runs]

    @cached_property
    def _followed(self) -> dict[str, list[str]]:
        """The runs whose layers are followed, by table."""
        return {table: self.studied.reading(table) for table in ("evolution", "influence")}

    @cached_property
    def _looked_into(self) -> list[str]:
        return list(dict.fromkeys(run for runs in self._followed.values() for run in runs))

    def _of_corpora(self) -> Iterator[Job]:
        for parser in self.config["parsers"]:
            if parser not in self.trained.texts.published_parsers:
                rules = ("parser_treebank", "parser")
                yield Job(
                    f"train {parser}", "Train the parser", [(rule, {"parser": parser}) for rule in rules]
                )
        for text in self.scale.with_objective("mlm", "corpus"):
            if text in self.config["texts"]:
                yield Job(f"read {text}", "Read", [(rule, {"text": text}) for rule in ("text", "pieces")])
        # a parser must not have seen any text that it will parse, so it waits for all of them anyway
        parses = [part for corpus in self.scale.used for part in self._parses(corpus)]
        yield Job("parse corpora", "Parse all", parses)
        for corpus in self.scale.used:
            compared = self.studied.reading("distances", corpus)
            alone = [run for run in compared if run not in self._looked_into]
            parts: list[Part] = [("states", {"run": run, "reading": "whole"}) for run in alone]
            if compared:
                parts.append(("layer_distances", {"corpus": corpus}))
                yield Job(f"compare {corpus}", "Compare the models of", parts)

    def _of_trainings(self) -> Iterator[Job]:
        scale, path_to = self.scale, self.trained.path_to
        pruned = [run for run in scale.with_gates if self.trained.learns_gates(run)]
        for first, sweep in grouped(pruned, lambda run: path_to(run)[0]).items():
            ordered = sorted(sweep, key=lambda run: len(path_to(run)))
            yield Job(f"train {first} and on", "Train", [("train_gated", {"run": run}) for run in ordered])
        # language models that differ in their seed, and models of a corpus of few pairs
        alike = ("corpus", "objective", "recipe")
        for group in grouped(
            scale.language, lambda run: tuple(scale.rows[run][key] for key in alike)
        ).values():
            parts = [("language_model", {"run": run}) for run in group]
            yield Job(f"train {group[0]} and others", "Train", parts)
        few = [run for run in scale.whole if self._of_few_pairs(run)]
        for corpus, models in grouped(few, scale.corpus_of).items():
            yield Job(f"train {corpus}", "Train the models of", [("train", {"run": run}) for run in models])

    def _of_measurements(self) -> Iterator[Job]:
        scale = self.scale
        # a task's seeds start from one pretrained run, those of all tasks without one from an untrained one
        for name, tuned in grouped(scale.classifying, self._tuned_with).items():
            yield Job(f"finetune {name}", "Fine-tune", [("finetune", {"run": run}) for run in tuned])
            yield Job(f"measure {name}", "Measure heads on", self._measuring(TASK, tuned))
        for name, models in grouped(scale.translating, self._measured_with).items():
            yield Job(f"measure {name}", "Measure", self._measuring(TRANSLATION, models))
        for run in scale.masked:
            yield Job(f"measure {run}", "Measure", self._measuring(MASKED, [run]))
        for run in dict.fromkeys([*self._looked_into, *scale.language]):
            parts = self._layers(run) if run in self._looked_into else []
            parts += self._measuring(PROBES, [run]) if run in scale.language else []
            yield Job(f"layers {run}", "Follow the layers of", parts)

    def _tuned_with(self, run: str) -> str:
        return self.scale.rows[run]["corpus" if self.trained.has_weights(run) else "init_run"]

    def _measured_with(self, run: str) -> str:
        """The name of what is measured in one job: pruned models of a corpus, or those of a corpus of few pairs."""
        corpus = self.scale.corpus_of(run)
        if run in self.scale.with_gates:
            return f"pruned {corpus}"
        return corpus if self._of_few_pairs(run) else run

    def _of_few_pairs(self, run: str) -> bool:
        return bool(self.config["corpora"][self.scale.corpus_of(run)].get("limit"))


def grouped(names: Iterable[str], key: Callable[[str], object]) -> dict[object, list[str]]:
    """Lists of names with the same key, by key, in their order."""
    found: dict[object, list[str]] = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return found
