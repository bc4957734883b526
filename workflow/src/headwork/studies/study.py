"""A study as data: its items, the runs of each item, its claims, and the table of all items.

workflow/studies/<study>/study.yaml describes the items in the paper's own terms (domain `news`, pair `EN-RU`), and
assigns a run to each domain and pair at each scale; the run sheets give the runs pruned from it.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headwork.errors import InputError, SettingError
from headwork.settings.config import read_yaml
from headwork.settings.options import spelling
from headwork.settings.run_sheets import LEARNED, STUDIES, mask_run, whole_run

_STUDY_KEYS = ("cited", "title", "authors", "venue", "items", "claims")
_STUDY_OPTIONS = ("tables", "scales")
_ITEM_KEYS = ("title", "section", "shows", "roles")
_ITEM_OPTIONS = ("tables", "published", "also", "beside", "sweeps", "settings")

# The runs of a study that have a table needed by claims: all, the trained ones, these with all runs that differ
# from them in their seed alone, or those of some domains.
ALL_RUNS, TRAINED_RUNS, SEEDS = "all", "trained", "seeds"

# The runs that an item shows besides the trained ones of its roles: their other seeds, the study's untrained runs
# of the same roles, the runs pruned from its sweeps' baselines.
UNTRAINED, PRUNED = "untrained", "pruned"
ALSO = (SEEDS, UNTRAINED, PRUNED)

# Runs that agree in these columns of the sheet differ in their seed alone.
ALIKE = ("corpus", "objective", "architecture", "recipe", "init_run", "gates", "penalty", "target")

Role = tuple[str, str]
DEFAULT = "miniature"  # the scale that others are laid over


@dataclass(frozen=True)
class Item:
    """One table or figure.

    roles       its runs, as (domain, pair) in the paper's terms; may be empty
    tables      the tables it reads of each run, by name (`headwork.studies.tables`), which are inputs of its rule
    published   input name -> file of published numbers that it shows, without .csv, in the study's folder published/
    also        members of `ALSO` that it shows too
    beside      roles shown for comparison, which do not decide whether the item can be made
    sweeps      encoder, all: shows the sweeps with gates in this attention; its runs are the baselines
    settings    sections of the config whose settings its caption lists: choices that the paper leaves open
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
    settings: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """Return the Snakemake target that makes it: ``voita2019_figure7``."""
        return f"{self.study}_{self.key}"


@dataclass(frozen=True)
class Study:
    """One paper: its citation, its items in the paper's order, and its claims (`headwork.studies.judging`).

    `tables` maps tables of single runs that claims need besides those of items to their runs: ``all``, ``trained``,
    ``seeds`` (these and their other seeds), the domains whose trained runs have it, or a mapping: `domains`, and
    whether the `untrained` runs and other `seeds` of these have it too. `scales` assigns runs to domains and pairs, by
    scale (`at_scale`).
    """

    key: str
    cited: str
    title: str
    authors: str
    venue: str
    items: tuple[Item, ...]
    claims: tuple[dict[str, Any], ...]
    tables: Mapping[str, str | list[str] | Mapping[str, Any]]
    scales: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def item(self, key: str) -> Item:
        """Return the item with that key."""
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
    """Read a study from workflow/studies/<study>/study.yaml; its key is the name of the folder.

    Raises InputError for a missing file, invalid YAML, missing or unknown keys, and tables of unknown runs.
    """
    path = Path(path)
    key = path.absolute().parent.name
    if not path.is_file():
        known = sorted(study.parent.name for study in path.parent.parent.glob("*/study.yaml"))
        raise InputError.at(path, f"there is no study '{key}'; {spelling(key, known)}")
    content = read_yaml(path)
    _complete(content, _STUDY_KEYS, path, "the study", _STUDY_OPTIONS)
    for name, which in content.get("tables", {}).items():
        domains = which
        if isinstance(which, Mapping):
            _complete(which, ["domains"], path, f"the table {name}", ["untrained", SEEDS])
            domains = which["domains"]
        if not isinstance(domains, list) and which not in (ALL_RUNS, TRAINED_RUNS, SEEDS):
            raise InputError.at(
                path,
                f"the table {name} has the invalid runs {domains!r}; "
                f"write {ALL_RUNS}, {TRAINED_RUNS}, {SEEDS} or a list of domains",
            )
    items = [_item(key, name, entry, path) for name, entry in content["items"].items()]
    for claim in content["claims"]:
        strange = [item for item in claim.get("shown_in", ()) if item not in content["items"]]
        if strange:
            raise InputError.at(
                path,
                f"the claim {claim.get('claim')!r}: `shown_in` names no item {strange[0]!r}; "
                f"{spelling(strange[0], list(content['items']))}",
            )
    return Study(
        key=key,
        cited=content["cited"],
        title=content["title"],
        authors=content["authors"],
        venue=content["venue"],
        items=tuple(items),
        claims=tuple(content["claims"]),
        tables=content.get("tables", {}),
        scales=content.get("scales", {}),
    )


def read_studies(folder: str | Path) -> dict[str, Study]:
    """All studies of workflow/studies, by key; raises `InputError` as `read_study`."""
    return {path.parent.name: read_study(path) for path in sorted(Path(folder).glob("*/study.yaml"))}


def at_scale(studies: Mapping[str, Study], config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Study -> its settings under a config: `runs`, `untrained`, `sweeps`, `shown_as`.

    What the config says itself (``studies: <study>:``) is laid over the settings of the scale whose rows it reads
    (``runs: {studies: scale}``), and these over those of the default scale. Raises `InputError` for a study that is not
    there.
    """
    own = config.get("studies") or {}
    for key in own:
        if key not in studies:
            raise SettingError(
                "config", ("studies", key), f"no study '{key}'; {spelling(key, list(studies))}"
            )
    scales = dict.fromkeys((config["runs"].get(STUDIES), DEFAULT))
    found: dict[str, dict[str, Any]] = {}
    for key, study in studies.items():
        found[key] = deepcopy(own.get(key, {}))
        for below in (*(study.scales.get(scale, {}) for scale in scales), {"runs": {}}):
            _lay_under(found[key], below)
    return found


def _lay_under(settings: dict[str, Any], below: Mapping[str, Any]) -> None:
    """Add what settings lack, key by key, in place."""
    for key, value in below.items():
        if isinstance(value, Mapping) and isinstance(settings.setdefault(key, {}), dict):
            _lay_under(settings[key], value)
        else:
            settings.setdefault(key, value)


def _item(study: str, key: str, entry: Mapping[str, Any], path: Path) -> Item:
    """Convert one entry of a study's `items`; raises InputError for unknown keys and values."""
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
        published=dict(published),
        also=tuple(entry.get("also", ())),
        beside=_roles(entry.get("beside", {})),
        sweeps=tuple(entry.get("sweeps", ())),
        settings=tuple(entry.get("settings", ())),
    )


def _roles(domains: Mapping[str, Sequence[str]]) -> tuple[Role, ...]:
    return tuple((domain, pair) for domain, pairs in domains.items() for pair in pairs)


def study_runs(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every run of the study at this scale, trained ones first, as plain dictionaries.

    `settings` are those of the study at this scale (`at_scale`), with ``runs: {domain: {pair: run}}``, optionally
    ``untrained:`` of the same shape, and ``shown_as: {pair: label in figures}``. A pair may be null: an overlay config
    removes a run that way. Each dictionary has run, domain, pair, label and trained.
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
    """Return the trained runs from which the sweeps with gates in `gates` (encoder, all) start.

    They are the study's runs, unless ``sweeps: {gates: {domain: {pair: run}}}`` in its settings names others.
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
    """Return every run of a sweep at this scale, each baseline before the runs that start from it.

    `sheet` holds the rows of the run sheet. A sweep consists of the runs with its gates that start from the weights of
    one of `baselines` (directly, or through other runs of the sweep: `run_sheets.whole_run`), and of the runs from
    scratch with the mask of one of these. Each dictionary has the keys of `study_runs`, and method (baseline, gates,
    scratch), gates (encoder, all: the sweep's) and of (the baseline, or the run of the mask). A run that is the
    baseline of two sweeps is listed twice.
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
    """Return the runs of one item in the order of its roles; for an item with sweeps, their baselines.

    Runs of `Item.beside` come first. Runs of `Item.also` follow: other seeds after their run, pruned runs after their
    baseline, untrained runs last. Roles without a run at this scale are left out (one real language pair instead of
    three, or a sweep in one domain). `sheet` holds the rows of the run sheets.
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
    """Return each run, followed by the runs of the sheet that differ from it in their seed alone, with its labels.

    All have a `seed`. A result of a single seed may be specific to it, so claims use several.
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
    """Return whether the scale has a run for the item, or the item needs none."""
    return not item.roles or bool(item_runs(replace(item, also=(), beside=()), settings, sheet))


def claim_runs(
    study: Study, settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Return, for each table that the study's claims need, its runs; tables without runs are left out.

    First `Study.tables`, then tables of items: relevance; pruned_functions and gates (heads of pruned runs); sweeps
    (whose runs are the baselines).
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
    """Return the runs of a study for an entry of `Study.tables`."""
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
