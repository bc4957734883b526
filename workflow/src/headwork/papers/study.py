"""A study as data: its items, which runs each item is made of, its claims, and the README's table of items.

config/papers/<study>.yaml says what the paper shows, in the paper's own terms (domain `news`, pair `EN-RU`);
the settings `papers: <study>:` of the main config say which run takes that part at the present scale.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from headwork.errors import InputError

_STUDY_KEYS = ("study", "cited", "title", "authors", "venue", "items", "claims")
_ITEM_KEYS = ("title", "section", "shows", "roles")


@dataclass(frozen=True)
class Item:
    """One table or figure. `roles` names the runs it is made of, as (domain, pair) in the paper's terms."""

    study: str
    key: str
    title: str
    section: str
    shows: str
    roles: tuple[tuple[str, str], ...]

    @property
    def rule(self) -> str:
        """The Snakemake target that makes it: ``voita2019_figure7``."""
        return f"{self.study}_{self.key}"


@dataclass(frozen=True)
class Study:
    """One paper: how it is cited, its items in the paper's order, and its claims (see `headwork.papers.claims`)."""

    key: str
    cited: str
    title: str
    authors: str
    venue: str
    items: tuple[Item, ...]
    claims: tuple[dict[str, Any], ...]


def _complete(entry: Mapping[str, Any], keys: Sequence[str], path: str | Path, where: str) -> None:
    missing, unknown = [key for key in keys if key not in entry], [key for key in entry if key not in keys]
    if missing:
        raise InputError.at(path, f"{where} lacks {', '.join(missing)}")
    if unknown:
        raise InputError.at(path, f"{where} has the unknown key {unknown[0]!r}; known are {', '.join(keys)}")


def read_study(path: str | Path) -> Study:
    """The study that config/papers/<study>.yaml describes.

    Raises InputError for YAML that cannot be read, and for missing or unknown keys.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        raise InputError.at(
            path, f"this is no valid YAML: {getattr(error, 'problem', error)}", line
        ) from None
    if not isinstance(content, dict):
        raise InputError.at(path, f"a study must be a mapping with the keys {', '.join(_STUDY_KEYS)}")
    _complete(content, _STUDY_KEYS, path, "the study")
    items = []
    for key, entry in content["items"].items():
        _complete(entry, _ITEM_KEYS, path, f"the item {key}")
        roles = tuple((role["domain"], role["pair"]) for role in entry["roles"])
        items.append(
            Item(content["study"], key, entry["title"], str(entry["section"]), entry["shows"], roles)
        )
    return Study(
        key=content["study"],
        cited=content["cited"],
        title=content["title"],
        authors=content["authors"],
        venue=content["venue"],
        items=tuple(items),
        claims=tuple(content["claims"]),
    )


def study_runs(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every run that takes a part in the study at this scale, trained ones first, as plain dictionaries.

    `settings` are the main config's ``papers: <study>:``, with ``runs: {domain: {pair: run}}``, optionally
    ``untrained:`` of the same shape, and ``shown_as: {pair: how figures call it}``. A pair may be null: a scale
    that is laid over another has no such run. Each dictionary has run, domain, pair, label and trained.
    """
    shown_as = settings.get("shown_as", {})
    return [
        {"run": run, "domain": domain, "pair": pair, "label": shown_as.get(pair, pair), "trained": trained}
        for trained, part in ((True, settings["runs"]), (False, settings.get("untrained", {})))
        for domain, pairs in part.items()
        for pair, run in pairs.items()
        if run is not None
    ]


def item_runs(item: Item, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The trained runs that one item is made of, in the order of its roles.

    A scale may lack some (one real language pair instead of three): the item is then made of the others. An empty
    list says that the item cannot be made at this scale.
    """
    found = {(run["domain"], run["pair"]): run for run in study_runs(settings) if run["trained"]}
    return [found[role] for role in item.roles if role in found]


def readme_table(studies: Sequence[Study]) -> str:
    """The README's table "find your figure", in Markdown: what, what it shows, the command, the script."""
    lines = ["| item | shows | command | script |", "| --- | --- | --- | --- |"]
    for study in studies:
        for item in study.items:
            script = f"workflow/figures/{study.key}/{item.key}.py"
            lines.append(
                f"| {study.cited}, {item.title} | {item.shows} | `snakemake {item.rule}` "
                f"| [{item.key}.py]({script}) |"
            )
    return "\n".join(lines) + "\n"
