# Which runs, items and tables belong to a study: what the phases after the models are made of.
from headwork.papers.study import (
    can_be_made,
    claim_runs,
    item_runs,
    item_sweep,
    study_runs,
    sweep_runs,
    with_seeds,
)


def shown(*tables):
    """The runs of the items, of all studies, that read one of these tables."""
    found = [
        run["run"]
        for study in studies.values()
        for item in study.items
        if set(tables) & set(item.reads)
        for run in item_runs(item, config["papers"][study.key], SHEET)
    ]
    return list(dict.fromkeys(found))


def only_translating():
    """The runs of which items show what they translate, and nothing else."""
    others = {
        run["run"]
        for study in studies.values()
        for item in study.items
        if "translations" not in item.reads
        for run in item_runs(item, config["papers"][study.key], SHEET)
    }
    return [run for run in reading("translations") if run not in others]


def measured():
    """The runs whose heads are measured: those without gates, and the pruned ones whose heads an item shows."""
    pruned = {
        run["run"]
        for study in studies.values()
        for item in study.items
        if "pruned functions" in item.reads
        for run in item_sweep(item, config["papers"][study.key], SHEET)
    }
    whole = [run for run in WHOLE if run not in only_translating()]
    return [run for run in runs.index if run in whole or run in pruned]


def attributed():
    """The fine-tuned runs whose heads' attributions, or what follows from them, an item shows."""
    return [run for run in shown("attribution", "ranking") if run in CLASSIFYING]


def encoders_of_studies(trained=True):
    """The masked language models that take a part in a study."""
    found = [
        run["run"]
        for study in studies
        for run in study_runs(config["papers"][study])
        if run["run"] in MASKED and (run["trained"] or not trained)
    ]
    return list(dict.fromkeys(found))


def with_untrained(study, item):
    """The runs of an item, and the study's untrained runs in the same domains."""
    shown = runs_of(study, item)
    domains_shown = {run["domain"] for run in shown}
    untrained = [
        run for run in study_runs(config["papers"][study]) if not run["trained"]
    ]
    return shown + [run for run in untrained if run["domain"] in domains_shown]


def reading(what, corpus=None):
    """The runs of the items that read this table, of all corpora or of one; of some tables, the untrained ones too."""
    found = [
        run["run"]
        for study in studies.values()
        for item in study.items
        if what in item.reads
        for run in study_runs(config["papers"][study.key])
        if (run["domain"], run["pair"]) in item.roles
        and (run["trained"] or what in ("evolution", "trees", "tags"))
    ]
    return [
        run
        for run in dict.fromkeys(found)
        if corpus is None or runs.loc[run, "corpus"] == corpus
    ]


def fine_tuned(study, trained=True):
    """The fine-tuned runs of a study; `trained`: without those that start from random weights."""
    found = study_runs(config["papers"][study])
    return [
        run
        for run in found
        if run["run"] in CLASSIFYING and (run["trained"] or not trained)
    ]


def fine_tuned_of_studies():
    """The same of all studies whose claims look at tables of heads on tasks."""
    found = [
        run["run"]
        for study in studies.values()
        if "tasks" in study.tables
        for run in fine_tuned(study.key)
    ]
    return list(dict.fromkeys(found))


def with_patterns(study):
    """The fine-tuned runs whose maps a study sorts by pattern, each with its task; none if no item shows patterns."""
    if not any("patterns" in item.reads for item in studies[study].items):
        return []
    return [
        {"run": run["run"], "task": task_settings(run["run"])}
        for run in fine_tuned(study)
    ]


def scored_runs(study):
    """The fine-tuned runs of a study, of all seeds, and those that start from random weights."""
    return with_seeds(fine_tuned(study, trained=False), SHEET)


def of_coenen2019():
    """What the items of Coenen et al. 2019 show of their runs, trained or not."""
    tables = {
        "Penn Treebank": "attention-probe.csv",
        "SemCor": "senses.csv",
    }
    found = [
        f"results/representations/{run['run']}.{tables[run['domain']]}"
        for run in study_runs(config["papers"]["coenen2019"])
    ]
    return list(dict.fromkeys(found))


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


def with_controls(study, item):
    """The runs of an item, and after them those that take the same parts and were never trained."""
    roles = item_of(study, item).roles
    untrained = [
        run
        for run in study_runs(config["papers"][study])
        if not run["trained"] and (run["domain"], run["pair"]) in roles
    ]
    return runs_of(study, item) + untrained


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
        "importance": "results/relevance/{run}.importance.parquet",
        "completeness": "results/relevance/{run}.completeness.parquet",
        "edges": "results/relevance/{run}.edges.csv",
        "tree_answers": "results/relevance/{run}.kept.csv",
        "triggers": "results/relevance/{run}.triggers.csv",
        "curves": "results/pruning/ranking/{run}.curves.csv",
        "effect": "results/pruning/ranking/{run}.effect.csv",
        "evolution": "results/representations/{run}.evolution.csv",
        "influence": "results/representations/{run}.influence.csv",
        "distances": "results/representations/{corpus}.distances.csv",
        "probes": "results/representations/{run}.probes.csv",
        "trees": "results/representations/{run}.trees.parquet",
        "branching": "results/representations/{run}.branching.csv",
        "tags": "results/representations/{run}.tags.csv",
        "scores": "results/models/{run}/scores.json",
        "plane": "results/representations/{run}.plane.json",
        "attention_probe": "results/representations/{run}.attention-probe.csv",
        "structural": "results/representations/{run}.structural.csv",
        "arcs": "results/representations/{run}.edges.csv",
        "embeddings": "results/representations/{run}.embeddings.csv",
        "senses": "results/representations/{run}.senses.csv",
        "semantic": "results/representations/{run}.semantic.csv",
        "concatenation": "results/representations/{run}.concatenation.csv",
        "alignments": "results/heads/{run}.alignments.parquet",
        "functions": "results/heads/{run}.functions.csv",
        "statistics": "results/heads/{run}.parquet",
        "persons": "results/parses/{corpus}/{split}.persons.csv",
        "relevance": "results/relevance/{run}.parquet",
        "pruned_functions": "results/heads/{run}.functions.csv",
        "gates": "results/models/{run}/gates.csv",
        "tasks": "results/heads/{run}.task.parquet",
        "glue": "results/models/{run}/scores.json",
        "disabling": "results/pruning/disabling/{run}.csv",
    }
    files = {}
    for name, chosen in tables_of_claims(wildcards.study).items():
        if name == "sweeps":
            files["sweeps"] = f"results/pruning/{wildcards.study}.runs.csv"
            files["kept"] = f"results/pruning/{wildcards.study}.heads.csv"
        else:
            files[name] = [made_of(tables[name], [run])[0] for run in chosen]
    return files


def crated_items(wildcards):
    """Item -> its files, of all items of a study that can be made at this scale, and the verdicts."""
    files = {}
    for path in items(wildcards.study):
        files.setdefault(Path(path).stem, []).append(path)
    return files


def crated_runs(wildcards):
    """run.json of every model that a study's items stand on, and of those they started from."""
    settings_of = config["papers"][wildcards.study]
    waiting = [run["run"] for run in study_runs(settings_of) + sweeps(wildcards.study)]
    found = []
    while waiting:
        run = waiting.pop(0)
        if run and run not in found:
            found.append(run)
            waiting.append(runs.loc[run, "init_run"])
    return [f"results/models/{run}/run.json" for run in found]


def crated_workflow(wildcards):
    """The workflow's files that a study is made by, Snakefile first; the library is named by its commit."""
    patterns = (
        "workflow/rules/*.smk",
        "workflow/rules/inputs/*.smk",
        f"workflow/rules/papers/{wildcards.study}.smk",
        f"workflow/figures/{wildcards.study}/*.py",
        f"config/papers/{wildcards.study}.yaml",
        f"config/published/{wildcards.study}/*.csv",
        config["runs"],
    )
    found = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in [ROOT / "Snakefile", *found]]
