# Which runs, items and tables belong to a study: what the phases after the models are made of.
from headwork.papers.study import (
    can_be_made,
    claim_runs,
    item_runs,
    item_sweep,
    study_runs,
    sweep_runs,
)


def with_relevance():
    """The runs whose heads' relevance an item shows."""
    shown = [
        run["run"]
        for study in studies.values()
        for item in study.items
        if "relevance" in item.reads
        for run in item_runs(item, config["papers"][study.key], SHEET)
    ]
    return list(dict.fromkeys(shown))


def measured():
    """The runs whose heads are measured: those without gates, and the pruned ones whose heads an item shows."""
    shown = {
        run["run"]
        for study in studies.values()
        for item in study.items
        if "pruned functions" in item.reads
        for run in item_sweep(item, config["papers"][study.key], SHEET)
    }
    return [run for run in runs.index if run in WHOLE or run in shown]


def encoders_of_studies(trained=True):
    """The masked language models that take a part in a study."""
    found = [
        run["run"]
        for study in studies
        for run in study_runs(config["papers"][study])
        if run["run"] in MASKED and (run["trained"] or not trained)
    ]
    return list(dict.fromkeys(found))


def aligned():
    """The translation models of which an item shows alignments."""
    shown = [
        run["run"]
        for study in studies.values()
        for item in study.items
        if "alignments" in item.reads
        for run in item_runs(item, config["papers"][study.key], SHEET)
    ]
    return list(dict.fromkeys(shown))


def sweeps(study):
    """The runs of a study's sweeps: dictionaries of what `sweep_runs` gives, seed, penalty and target."""
    if not any(item.sweeps for item in studies[study].items):
        return []
    found = sweep_runs(config["papers"][study], SHEET)
    columns = ["seed", "penalty", "target"]
    return [run | runs.loc[run["run"], columns].to_dict() for run in found]


def removed(study):
    """The runs of a study's sweeps whose closed heads are removed for good: one of each point that the config names."""
    chosen = config["pruning"]["removed"]
    return [
        run["run"]
        for run in sweeps(study)
        if run["method"] == "gates"
        and run["gates"] in chosen["gates"]
        and run["domain"] in chosen["domains"]
        and run["seed"] == runs.loc[run["of"], "seed"]
    ]


def pruning_files(wildcards):
    """What the tables of a study's sweeps are made of: scores, heads, and what removing the closed ones came to."""
    swept = list(dict.fromkeys(run["run"] for run in sweeps(wildcards.study)))
    gated = [run for run in swept if run in WITH_GATES]
    return {
        "scores": collect("results/models/{run}/scores.json", run=swept),
        "config": collect("results/models/{run}/config.json", run=swept),
        "run": collect("results/models/{run}/run.json", run=swept),
        "gates": collect("results/models/{run}/gates.csv", run=gated),
        "removal": collect(
            "results/pruning/{run}/removal.json", run=removed(wildcards.study)
        ),
        "speed": collect(
            "results/pruning/{run}/speed.json", run=removed(wildcards.study)
        ),
    }


def item_of(study, item):
    """An item of a study, by its key."""
    return next(entry for entry in studies[study].items if entry.key == item)


def runs_of(study, item):
    """The runs that an item is made of at this scale: dictionaries of run, domain, pair, label, trained."""
    return item_runs(item_of(study, item), config["papers"][study], SHEET)


def made_of(pattern, chosen):
    """The pattern with each run, its corpus and the analysis split filled in; files that runs share stand once each."""
    corpora = {run["run"]: runs.loc[run["run"], "corpus"] for run in chosen}
    return [
        pattern.format(run=run, corpus=corpus, split=config["heads"]["split"])
        for run, corpus in corpora.items()
    ]


def sweep_of(study, item, methods=("baseline", "gates")):
    """The runs of the sweeps that an item shows, made by these methods; a baseline before those pruned from it."""
    return item_sweep(item_of(study, item), config["papers"][study], SHEET, methods)


def item_output(study, item):
    """An item's three files; the figure is what the report shows."""
    entry = item_of(study, item)
    path = f"results/papers/{study}/{item}"
    figure = report(
        f"{path}.svg",
        caption=f"../../report/{study}/{item}.rst",
        category=studies[study].cited,
        labels={"item": entry.title, "shows": entry.shows},
    )
    return {"svg": figure, "pdf": f"{path}.pdf", "csv": f"{path}.csv"}


CLAIMING = [study for study in studies if studies[study].claims]


def items(study):
    """The items of a study that can be made at this scale, and the verdicts on its claims."""
    claims = [f"results/papers/{study}/claims.csv"] if study in CLAIMING else []
    return claims + [
        f"results/papers/{study}/{item.key}.{kind}"
        for item in studies[study].items
        if can_be_made(item, config["papers"][study], SHEET)
        for kind in ("svg", "pdf", "csv")
    ]


def tables_of_claims(study):
    """Table -> the runs whose tables the study's claims are tested on."""
    return claim_runs(studies[study], config["papers"][study], SHEET)


def claim_files(wildcards):
    """What a study's claims are tested on: the tables of every run they look at, and those of its sweeps."""
    tables = {
        "segments": "results/heads/{run}.segments.parquet",
        "chance": "results/heads/{run}.chance.csv",
        "correlations": "results/heads/{run}.correlations.csv",
        "words": "results/heads/{run}.words.parquet",
        "offsets": "results/heads/{run}.offsets.csv",
        "rules": "results/heads/{run}.rules.csv",
        "sensitivity": "results/relevance/{run}.sensitivity.parquet",
        "probes": "results/representations/{run}.probes.csv",
        "plane": "results/representations/{run}.plane.json",
        "alignments": "results/heads/{run}.alignments.parquet",
        "functions": "results/heads/{run}.functions.csv",
        "statistics": "results/heads/{run}.parquet",
        "persons": "results/parses/{corpus}/{split}.persons.csv",
        "relevance": "results/relevance/{run}.parquet",
        "pruned_functions": "results/heads/{run}.functions.csv",
        "gates": "results/models/{run}/gates.csv",
    }
    files = {}
    for name, chosen in tables_of_claims(wildcards.study).items():
        if name == "sweeps":
            files["sweeps"] = f"results/pruning/{wildcards.study}.runs.csv"
            files["kept"] = f"results/pruning/{wildcards.study}.heads.csv"
        else:
            files[name] = [made_of(tables[name], [run])[0] for run in chosen]
    return files
