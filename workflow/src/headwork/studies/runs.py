"""Which runs a study, its items and its claims are of, at a scale."""

from collections.abc import Mapping, Sequence
from typing import Any

from headwork.settings.run_sheets import LEARNED, mask_run, whole_run
from headwork.settings.studies import Having, Item, OfDomains, Study

# Runs that agree in these columns of the sheet differ in their seed alone.
ALIKE = ("corpus", "objective", "architecture", "recipe", "init_run", "gates", "penalty", "target")


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
        methods = ("baseline", "gates") if "pruned" in item.also else ("baseline",)
        swept = sweep_runs(settings, sheet)
        found = [run for run in swept if run["gates"] in item.sweeps and run["method"] in methods]
        found = found if "pruned" in item.also else _once(found)
    own = [
        run for role in (*item.beside, *item.roles) for run in found if (run["domain"], run["pair"]) == role
    ]
    if "untrained" in item.also:
        own += [
            run for run in everything if not run["trained"] and (run["domain"], run["pair"]) in item.roles
        ]
    return with_seeds(own, sheet) if "seeds" in item.also else own


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
    return not item.roles or bool(
        item_runs(item.model_copy(update={"also": (), "beside": ()}), settings, sheet)
    )


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
    pruned = [
        run for item in study.items if "pruned" in item.also for run in item_runs(item, settings, sheet)
    ]
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
    which: Having, settings: Mapping[str, Any], sheet: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the runs of a study for an entry of `Study.tables`."""
    everything = study_runs(settings)
    trained = [run for run in everything if run["trained"]]
    match which:
        case "all":
            return everything
        case "trained":
            return trained
        case "seeds":
            return with_seeds(trained, sheet)
        case OfDomains():
            found = [run for run in everything if run["domain"] in which.domains]
            found = found if which.untrained else [run for run in found if run["trained"]]
            return with_seeds(found, sheet) if which.seeds else found
    return [run for run in trained if run["domain"] in which]


def _once(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({run["run"]: run for run in runs}.values())
