"""A study as data: its items, which runs each item is made of, its claims, and the table of all items.

config/papers/<study>.yaml says what the paper shows, in the paper's own terms (domain `news`, pair `EN-RU`);
the settings `papers: <study>:` of the main config say which run takes that part at the present scale, and the run
sheet which runs were pruned from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from headwork.errors import InputError
from headwork.options import spelling
from headwork.settings import LEARNED, mask_run, whole_run

_STUDY_KEYS = ("study", "cited", "title", "authors", "venue", "items", "claims")
_ITEM_KEYS = ("title", "section", "shows", "roles")
_ITEM_OPTIONS = ("tables", "published", "also", "beside", "sweeps")

# Which runs of a study have a table that claims look at: all of them, the trained ones, these with all runs that differ
# from them in their seed alone, or those of some domains.
ALL_RUNS, TRAINED_RUNS, SEEDS = "all", "trained", "seeds"

# Which runs an item shows besides the trained ones that take its roles: their other seeds, the study's untrained runs
# of the same roles, the runs pruned from its sweeps' baselines.
UNTRAINED, PRUNED = "untrained", "pruned"
ALSO = (SEEDS, UNTRAINED, PRUNED)

# Runs that agree in these columns of the sheet differ in their seed alone.
ALIKE = ("corpus", "objective", "architecture", "recipe", "init_run", "gates", "penalty", "target")

Role = tuple[str, str]


@dataclass(frozen=True)
class Item:
    """One table or figure.

    roles       the runs it is made of, as (domain, pair) in the paper's terms; without any it is made of no run
    tables      what it reads of each of its runs, by name (config/tables.yaml): its rule's inputs of the same names
    published   input name -> "study/item" of the published numbers it shows, files of config/published
    also        those of `ALSO` that it shows too
    beside      roles shown for comparison, which do not decide whether the item can be made
    sweeps      encoder, all: it shows the sweeps with gates in these attentions, and its runs are their baselines
    """

    study: str
    key: str
    title: str
    section: str
    shows: str
    roles: tuple[Role, ...]
    tables: tuple[str, ...] = ()
    published: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    beside: tuple[Role, ...] = ()
    sweeps: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The Snakemake target that makes it: ``voita2019_figure7``."""
        return f"{self.study}_{self.key}"


@dataclass(frozen=True)
class Study:
    """One paper: how it is cited, its items in the paper's order, and its claims (`headwork.papers.claims.judging`).

    `tables` are those of single runs that claims look at besides what items read, each with its runs: ``all``,
    ``trained``, ``seeds`` (these and their other seeds), the domains whose trained runs have it, or a mapping:
    `domains`, and whether the `untrained` runs and other `seeds` of these have it too.
    """

    key: str
    cited: str
    title: str
    authors: str
    venue: str
    items: tuple[Item, ...]
    claims: tuple[dict[str, Any], ...]
    tables: Mapping[str, str | list[str] | Mapping[str, Any]]

    def item(self, key: str) -> Item:
        """The item with that key."""
        return next(item for item in self.items if item.key == key)


def _complete(
    entry: Mapping[str, Any], keys: Sequence[str], path: str | Path, where: str, optional: Sequence[str] = ()
) -> None:
    known = [*keys, *optional]
    missing, unknown = [key for key in keys if key not in entry], [key for key in entry if key not in known]
    if missing:
        raise InputError.at(path, f"{where} lacks {', '.join(missing)}")
    if unknown:
        raise InputError.at(path, f"{where} has the unknown key {unknown[0]!r}; known are {', '.join(known)}")


def read_study(path: str | Path) -> Study:
    """The study that config/papers/<study>.yaml describes.

    Raises InputError if there is no such file, for YAML that cannot be read, for missing or unknown keys, and tables of
    no such runs.
    """
    path = Path(path)
    if not path.is_file():
        known = sorted(study.stem for study in path.parent.glob("*.yaml"))
        raise InputError.at(path, f"there is no study '{path.stem}'; {spelling(path.stem, known)}")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        raise InputError.at(
            path, f"this is no valid YAML: {getattr(error, 'problem', error)}", line
        ) from None
    if not isinstance(content, dict):
        raise InputError.at(path, f"a study must be a mapping with the keys {', '.join(_STUDY_KEYS)}")
    _complete(content, _STUDY_KEYS, path, "the study", ["tables"])
    for name, which in content.get("tables", {}).items():
        domains = which
        if isinstance(which, Mapping):
            _complete(which, ["domains"], path, f"the table {name}", ["untrained", SEEDS])
            domains = which["domains"]
        if not isinstance(domains, list) and which not in (ALL_RUNS, TRAINED_RUNS, SEEDS):
            raise InputError.at(
                path,
                f"the table {name} is of {domains!r}; write {ALL_RUNS}, {TRAINED_RUNS}, {SEEDS} or a list of domains",
            )
    items = [_item(content["study"], key, entry, path) for key, entry in content["items"].items()]
    return Study(
        key=content["study"],
        cited=content["cited"],
        title=content["title"],
        authors=content["authors"],
        venue=content["venue"],
        items=tuple(items),
        claims=tuple(content["claims"]),
        tables=content.get("tables", {}),
    )


def _item(study: str, key: str, entry: Mapping[str, Any], path: Path) -> Item:
    """One entry of a study's `items`; raises InputError for keys and words that there are not."""
    where = f"the item {key}"
    _complete(entry, _ITEM_KEYS, path, where, _ITEM_OPTIONS)
    for name, known in (("also", ALSO), ("sweeps", LEARNED)):
        strange = [word for word in entry.get(name, ()) if word not in known]
        if strange:
            raise InputError.at(
                path, f"{where}: `{name}` has no {strange[0]!r}; {spelling(strange[0], list(known))}"
            )
    published = entry.get("published", {})
    if isinstance(published, str):
        published = {"published": published}
    return Item(
        study=study,
        key=key,
        title=entry["title"],
        section=str(entry["section"]),
        shows=entry["shows"],
        roles=_roles(entry["roles"]),
        tables=tuple(entry.get("tables", ())),
        published={name: file if "/" in file else f"{study}/{file}" for name, file in published.items()},
        also=tuple(entry.get("also", ())),
        beside=_roles(entry.get("beside", {})),
        sweeps=tuple(entry.get("sweeps", ())),
    )


def _roles(domains: Mapping[str, Sequence[str]]) -> tuple[Role, ...]:
    return tuple((domain, pair) for domain, pairs in domains.items() for pair in pairs)


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


def baselines(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The trained runs that a sweep with gates in the encoder, or in all attentions, starts from: `gates` says which.

    They are the study's runs, unless ``sweeps: {gates: {domain: {pair: run}}}`` of its settings names another.
    """
    others = settings.get("sweeps", {})
    return [
        run
        | {"gates": gates, "run": others.get(gates, {}).get(run["domain"], {}).get(run["pair"]) or run["run"]}
        for run in study_runs(settings)
        if run["trained"]
        for gates in LEARNED
    ]


def sweep_runs(settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every run of a sweep at this scale, each baseline before the runs that start from it.

    `sheet` are the rows of the run sheet. A sweep are the runs that start from the weights of one of `baselines` with
    its gates (or from such a run, point after point: `settings.whole_run`), and the runs from scratch with the mask of
    one of these. Each dictionary has what `study_runs` gives, and method (baseline, gates, scratch), gates (encoder,
    all: the sweep's) and of (the baseline, or the run of the mask). A run that is the baseline of two sweeps stands
    there twice.
    """
    found, rows = [], {row["run"]: row for row in sheet}
    for base in baselines(settings):
        gated = [
            base | {"run": row["run"], "method": "gates", "of": base["run"]}
            for row in sheet
            if row["gates"] == base["gates"] and whole_run(row, rows) == base["run"]
        ]
        scratch = [
            run | {"run": row["run"], "method": "scratch", "of": run["run"]}
            for run in gated
            for row in sheet
            if mask_run(row["gates"]) == run["run"] and not row["init_run"]
        ]
        if gated:
            found += [base | {"method": "baseline", "of": ""}, *gated, *scratch]
    return found


def item_runs(
    item: Item, settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """The runs that one item is made of, in the order of its roles; of an item with sweeps, their baselines.

    What stands beside them comes first, what `Item.also` adds follows: other seeds each after its run, pruned runs
    after their baseline, untrained runs after all others. A scale may lack some (one real language pair instead of
    three, or a sweep in one domain): the item is then made of the others. `sheet` are the rows of the run sheets.
    """
    everything = study_runs(settings)
    found = [run for run in everything if run["trained"]]
    if item.sweeps:
        methods = ("baseline", "gates") if PRUNED in item.also else ("baseline",)
        swept = sweep_runs(settings, sheet)
        found = [run for run in swept if run["gates"] in item.sweeps and run["method"] in methods]
        found = found if PRUNED in item.also else _once(found)
    own = [
        run for role in (*item.beside, *item.roles) for run in found if (run["domain"], run["pair"]) == role
    ]
    if UNTRAINED in item.also:
        own += [
            run for run in everything if not run["trained"] and (run["domain"], run["pair"]) in item.roles
        ]
    return with_seeds(own, sheet) if SEEDS in item.also else own


def with_seeds(runs: Sequence[Mapping[str, Any]], sheet: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each run, followed by the runs of the sheet that differ from it in their seed alone, labelled like it.

    All have a `seed`. What was measured of one seed may be the seed's own: claims rest on several.
    """
    rows = {row["run"]: row for row in sheet}
    found = []
    for run in runs:
        own = rows[run["run"]]
        others = [
            row
            for row in sheet
            if row["seed"] != own["seed"] and all(row.get(name) == own.get(name) for name in ALIKE)
        ]
        found += [{**run, "run": row["run"], "seed": row["seed"]} for row in (own, *others)]
    return found


def can_be_made(item: Item, settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the scale has a run for the item, or the item needs none."""
    return not item.roles or bool(item_runs(replace(item, also=(), beside=()), settings, sheet))


def claim_runs(
    study: Study, settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Table -> the runs whose tables the study's claims are tested on; tables that no run has are left out.

    First `Study.tables`, then the tables that items read: relevance; pruned_functions and gates, the heads of pruned
    runs; sweeps, whose runs are the baselines of sweeps.
    """
    if not study.claims:
        return {}
    relevance = [item for item in study.items if "relevance" in item.tables]
    pruned = [run for item in study.items if PRUNED in item.also for run in item_runs(item, settings, sheet)]
    swept = sweep_runs(settings, sheet) if any(item.sweeps for item in study.items) else []
    tables = {
        **{name: _having(which, settings, sheet) for name, which in study.tables.items()},
        "relevance": _once([run for item in relevance for run in item_runs(item, settings, sheet)]),
        "pruned_functions": _once(pruned),
        "gates": _once([run for run in pruned if run["method"] == "gates"]),
        "sweeps": _once([run for run in swept if run["method"] == "baseline"]),
    }
    return {name: runs for name, runs in tables.items() if runs}


def _having(
    which: str | Sequence[str] | Mapping[str, Any],
    settings: Mapping[str, Any],
    sheet: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The runs of a study that an entry of `Study.tables` stands for."""
    everything = study_runs(settings)
    if which == ALL_RUNS:
        return everything
    if isinstance(which, Mapping):
        found = [run for run in everything if run["domain"] in which["domains"]]
        found = found if which.get("untrained") else [run for run in found if run["trained"]]
        return with_seeds(found, sheet) if which.get(SEEDS) else found
    trained = [run for run in everything if run["trained"]]
    if which == SEEDS:
        return with_seeds(trained, sheet)
    return trained if which == TRAINED_RUNS else [run for run in trained if run["domain"] in which]


def _once(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({run["run"]: run for run in runs}.values())


def items_table(studies: Sequence[Study]) -> str:
    """The table of docs/items.md, in Markdown: what, what it shows, the command, the script."""
    lines = ["| item | shows | command | script |", "| --- | --- | --- | --- |"]
    for study in studies:
        for item in study.items:
            script = f"../workflow/figures/{study.key}/{item.key}.py"
            lines.append(
                f"| {study.cited}, {item.title} | {item.shows} | `snakemake {item.rule}` "
                f"| [{item.key}.py]({script}) |"
            )
    return "\n".join(lines) + "\n"
