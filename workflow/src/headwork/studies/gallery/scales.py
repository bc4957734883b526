"""The scales that have results, each with its config and run sheet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from headwork.settings.config import read_config
from headwork.settings.run_sheets import mask_run, read_sheets
from headwork.settings.studies import Study
from headwork.studies.data_folder import missing
from headwork.studies.study import at_scale

# The scales of this repository, in the order of the pages; others follow by name.
ABOUT = {
    "miniature": "Models that train in minutes, on a generated corpus with gold annotation.",
    "workstation": "Real corpora, and models that one machine trains in days.",
    "paper": "Corpora and models of the published sizes.",
}


@dataclass(frozen=True)
class Scale:
    """One folder of results.

    name      its name: results/<name>/
    overlay   the config file that is laid over config/config.yaml, "" for the default scale
    settings  the config after the overlay; None if no config file has this scale
    sheet     the rows of its run sheets
    there     the runs whose models are in results/<name>/models
    """

    name: str
    overlay: str
    settings: Mapping[str, Any] | None
    sheet: Sequence[Mapping[str, Any]]
    there: frozenset[str] = frozenset()

    @cached_property
    def _rows(self) -> dict[str, Mapping[str, Any]]:
        return {row["run"]: row for row in self.sheet}

    @property
    def about(self) -> str:
        """The scale in one sentence, "" if it is none of this repository's."""
        return ABOUT.get(self.name, "")

    @cached_property
    def needs_data(self) -> bool:
        """Whether its runs read files of a data folder."""
        used = {row["corpus"] for row in self.sheet}
        return self.settings is not None and bool(used & missing(self.settings, None).keys())

    def command(self, *targets: str) -> str:
        """The command that makes targets at this scale."""
        parts = ["snakemake", *targets]
        parts += ["--configfile", self.overlay] if self.overlay else []
        return " ".join([*parts, *(["--config data=path/to/corpora"] if self.needs_data else [])])

    def trained_first(self, runs: Iterable[str]) -> list[str]:
        """The runs, of these and of all that they start from, that are trained and whose models are not there."""
        found: dict[str, None] = {}
        for run in runs:
            row = self._rows[run]
            starts = filter(None, (row["init_run"], mask_run(row["gates"])))
            found |= dict.fromkeys(self.trained_first(starts))
            if run not in self.there and self.settings["recipes"][row["recipe"]].get("steps") != 0:
                found[run] = None
        return list(found)


def read_scales(results: Path, root: Path, studies: Mapping[str, Study]) -> list[Scale]:
    """The scales with a folder results/<scale>/studies, in the order of `ABOUT`; the default scale is always there.

    `root` is the repository: a scale's config is config/config.yaml with the overlay of config/ or tests/config/ whose
    `scale` is the folder's name. Raises InputError for a run sheet that cannot be read.
    """
    base = read_config(root / "config/config.yaml")
    overlays: dict[str, Path] = {}
    for folder in ("config", "tests/config"):
        # of several overlays of one scale, the one of the scale's name
        files = sorted(
            (root / folder).glob("*.yaml"), key=lambda path: (path.stem != _scale(path), path.name)
        )
        for path in files:
            overlays.setdefault(_scale(path), path)
    names = {path.parent.name for path in results.glob("*/studies") if path.is_dir()} | {base["scale"]}
    found = []
    places = {name: place for place, name in enumerate(ABOUT)}
    for name in sorted(names, key=lambda name: (places.get(name, len(places)), name)):
        if name not in overlays:
            found.append(Scale(name, "", None, ()))
            continue
        own = () if name == base["scale"] else (overlays[name],)
        settings = read_config(root / "config/config.yaml", *own)
        settings["studies"] = at_scale(studies, settings)
        overlay = own[0].relative_to(root).as_posix() if own else ""
        runs = read_sheets(settings["runs"], root)
        there = (path.parent.name for path in results.glob(f"{name}/models/*/model.safetensors"))
        found.append(Scale(name, overlay, settings, tuple(runs.to_dict("records")), frozenset(there)))
    return found


def _scale(path: Path) -> str:
    """The scale of a config file; files that are no overlay have none, called ""."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return str(content.get("scale", "")) if isinstance(content, dict) else ""
