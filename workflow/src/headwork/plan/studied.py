"""What belongs to a study at a scale: its runs and sweeps, and the files that its items and claims read."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from headwork.errors import SettingError
from headwork.plan import checks
from headwork.plan.annotated import Annotated
from headwork.settings.studies import Item
from headwork.studies.runs import can_be_made, claim_runs, item_runs, study_runs, sweep_runs
from headwork.studies.tables import TABLES

Run = Mapping[str, Any]


class Studied:
    """The studies of a scale; `config_files`, and study.yaml of workflow/studies below `root`, are named in errors."""

    def __init__(self, annotated: Annotated, config_files: Sequence[str], root: Path) -> None:
        self.annotated, self.scale, self.config = annotated, annotated.scale, annotated.config
        self.studies = self.scale.studies
        self.config_files, self.root = config_files, root
        self._checked: set[str] = set()
        self._made: dict[str, list[Item]] = {}  # asked for again and again while rules are made

    @cached_property
    def claiming(self) -> list[str]:
        """The studies that have claims."""
        return [key for key, study in self.studies.items() if study.claims]

    def of_scale(self, study: str) -> dict[str, Any]:
        """The settings of a study at this scale; `InputError` if they name a run that no sheet has."""
        if study not in self._checked:
            try:
                checks.check_studies(self.scale.runs, {study: self.config["studies"][study]})
            except SettingError as error:
                raise checks.found_at(error, self.config, self.config_files, self.root) from error
            self._checked.add(study)
        return self.config["studies"][study]

    def of_sweeps(self, study: str) -> dict[str, Any]:
        """The settings of a study at this scale, less the roles of which no item shows a sweep."""
        settings = self.of_scale(study)
        swept = [item for item in self.studies[study].items if item.sweeps]
        shown = {domain for item in swept for domain, _ in (*item.beside, *item.roles)}
        return settings | {"runs": {name: of for name, of in settings["runs"].items() if name in shown}}

    def table_files(self, table: str, study: str, chosen: Iterable[Run]) -> str | list[str]:
        """The files of a table of these runs: one for each, repeated if a run is, or that of a study."""
        pattern = f"<results>/{TABLES[table].path}"
        if "{study}" in pattern:
            return pattern.format(study=study)
        names = [run["run"] for run in chosen if table != "gates" or run["method"] == "gates"]
        split = self.config["heads"]["split"]
        return [pattern.format(run=run, corpus=self.scale.corpus_of(run), split=split) for run in names]

    def item_runs(self, study: str, item: str) -> list[dict[str, Any]]:
        """The runs that an item shows at this scale."""
        shown = self.studies[study].item(item)
        settings = self.of_sweeps(study) if shown.sweeps else self.of_scale(study)
        return item_runs(shown, settings, self.scale.sheet)

    def item_tables(self, study: str, item: str) -> dict[str, str | list[str]]:
        """Table -> its files, of all tables that an item reads."""
        chosen = self.item_runs(study, item)
        return {name: self.table_files(name, study, chosen) for name in self.studies[study].item(item).tables}

    def claim_runs(self, study: str) -> dict[str, list[dict[str, Any]]]:
        """Table -> the runs whose tables the study's claims are tested on."""
        return claim_runs(self.studies[study], self.of_scale(study), self.scale.sheet)

    def claim_tables(self, study: str) -> dict[str, str | list[str]]:
        """Table -> its files, one a run, of all tables that a study's claims are tested on, and those of its sweeps."""
        files: dict[str, str | list[str]] = {}
        for table, chosen in self.claim_runs(study).items():
            if table == "sweeps":
                files |= {name: self.table_files(name, study, []) for name in (table, "kept")}
            else:
                files[table] = [self.table_files(table, study, [run])[0] for run in chosen]
        return files

    def made_items(self, study: str) -> list[Item]:
        """The items of a study that can be made at this scale."""
        if study not in self._made:
            of_study, sheet = self.of_scale(study), self.scale.sheet
            items = self.studies[study].items
            self._made[study] = [item for item in items if can_be_made(item, of_study, sheet)]
        return self._made[study]

    def read(self, study: str) -> list[str]:
        """All files that the items and claims of a study read; one may come twice."""
        parts = [self.item_tables(study, item.key) for item in self.made_items(study)]
        parts.append(self.claim_tables(study))
        found = [files for part in parts for files in part.values()]
        return [file for files in found for file in ([files] if isinstance(files, str) else files)]

    def read_of(self, phase: str) -> list[str]:
        """All files of a phase that items and claims of any study read."""
        paths = dict.fromkeys(file for study in self.studies for file in self.read(study))
        return [path for path in paths if path.startswith(f"<results>/{phase}/")]

    def reading(self, table: str, corpus: str | None = None) -> list[str]:
        """The runs, of all corpora or of one, of which an item reads that table."""
        found = dict.fromkeys(
            run["run"]
            for study in self.studies
            for item in self.made_items(study)
            if table in item.tables
            for run in self.item_runs(study, item.key)
        )
        return [run for run in found if corpus in (None, self.scale.corpus_of(run))]

    def items_of(self, study: str) -> list[str]:
        """The files of the items of a study that can be made at this scale, and the verdicts on its claims."""
        return [path for files in self.files_by_item(study).values() for path in files]

    def all_items(self) -> list[str]:
        """The same of all studies."""
        return [path for study in self.studies for path in self.items_of(study)]

    def files_by_item(self, study: str) -> dict[str, list[str]]:
        """Item -> its files, of all items of a study that can be made at this scale, and the verdicts."""
        folder = f"<results>/studies/{study}"
        made = [item.key for item in self.made_items(study)]
        files = {item: [f"{folder}/{item}.{kind}" for kind in ("svg", "pdf", "csv")] for item in made}
        return {"claims": [f"{folder}/claims.csv"], **files} if study in self.claiming else files

    def is_control(self, run: str) -> bool:
        """Whether a run is a study's control, which was never trained."""
        shown = (entry for study in self.config["studies"].values() for entry in study_runs(study))
        return any(entry["run"] == run and not entry["trained"] for entry in shown)

    def with_patterns(self, study: str) -> list[dict[str, Any]]:
        """The fine-tuned runs whose maps a study sorts by pattern, each with its task, if any item shows patterns."""
        if not any("pattern_shares" in item.tables for item in self.studies[study].items):
            return []
        return [
            {"run": run["run"], "task": self.scale.task_settings(run["run"])}
            for run in study_runs(self.of_scale(study))
            if run["run"] in self.scale.classifying and run["trained"]
        ]

    def pattern_files(self, study: str) -> dict[str, list[str]]:
        """These runs, and the dev sets of their tasks."""
        chosen = [run["run"] for run in self.with_patterns(study)]
        return {
            "weights": [f"<results>/models/{run}/model.safetensors" for run in chosen],
            "tasks": [self.annotated.texts.dev_files(run)["task"] for run in chosen],
        }

    def tag_settings(self, run: str) -> dict[str, Any]:
        """How a run is probed for tags; controls by other probes than the rest."""
        found = dict(self.config["representations"]["tags"])
        of_controls = found.pop("untrained_probes", None)
        return found | ({"probes": of_controls} if of_controls is not None and self.is_control(run) else {})

    def probed_treebanks(self) -> list[str]:
        """The treebanks that heads and probes of runs are measured on."""
        tables = ("trees", "tags", "words", "probes", "attention_probe", "structural")
        tables += ("structural_probes", "edge_probes")
        probed = sorted({run for table in tables for run in self.reading(table)})
        return [path for run in probed for path in self.annotated.treebank(run).values()]

    def relevance_of_measures(self) -> list[str]:
        """The relevance of translation models whose measures of importance are compared: one of these measures."""
        measured = [run for run in self.reading("measures") if run in self.scale.translating]
        return [f"<results>/relevance/{run}.parquet" for run in measured]

    def sweeps(self, study: str) -> list[dict[str, Any]]:
        """The runs of sweeps that a study shows: dictionaries of what `sweep_runs` gives, seed, penalty and target."""
        found = sweep_runs(self.of_sweeps(study), self.scale.sheet)
        columns = ("seed", "penalty", "target")
        return [run | {name: self.scale.rows[run["run"]][name] for name in columns} for run in found]

    def removed(self, study: str) -> list[str]:
        """The runs of sweeps whose closed heads are removed for good: one of each point that the config names."""
        chosen = self.config["pruning"]["removed"]
        return [
            run["run"]
            for run in self.sweeps(study)
            if run["method"] == "gates"
            and run["gates"] in chosen["gates"]
            and run["domain"] in chosen["domains"]
            and run["seed"] == self.scale.rows[run["of"]]["seed"]
        ]

    def sweep_files(self, study: str) -> dict[str, list[str]]:
        """What the tables of a study's sweeps are made of: scores, heads, and what removing the closed ones came to."""
        swept = list(dict.fromkeys(run["run"] for run in self.sweeps(study)))
        gated, removed = [run for run in swept if run in self.scale.with_gates], self.removed(study)
        return {
            Path(name).stem: [f"<results>/{phase}/{run}/{name}" for run in chosen]
            for phase, name, chosen in (
                ("models", "scores.json", swept),
                ("models", "config.json", swept),
                ("models", "run.json", swept),
                ("models", "gates.csv", gated),
                ("pruning", "removal.json", removed),
                ("pruning", "speed.json", removed),
            )
        }

    def crated_runs(self, study: str) -> list[str]:
        """The records of the models that a study's items stand on, and of those they started from."""
        waiting = [run["run"] for run in study_runs(self.of_scale(study)) + self.sweeps(study)]
        found: list[str] = []
        while waiting:
            run = waiting.pop(0)
            if run and run not in found:
                found.append(run)
                waiting.append(self.scale.rows[run]["init_run"])
        return [f"<results>/models/{run}/run.json" for run in found]
