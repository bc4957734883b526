# What belongs to a study at this scale: runs, sweeps, and the tables that its items and claims read.
import yaml

from headwork.config import located
from headwork.papers.study import (
    can_be_made,
    claim_runs,
    item_runs,
    study_runs,
    sweep_runs,
)

TABLES = yaml.safe_load((ROOT / "config/tables.yaml").read_text())


def at_scale(study):
    """The settings of a study at this scale; an error if they name a run that no sheet has."""
    settings_of_study = config["papers"][study]
    try:
        settings.check_papers(runs, {study: settings_of_study})
    except InputError as error:
        stop(located(error, CONFIG_FILES))
    return settings_of_study


def table_files(table, study, chosen):
    """The files of a table (config/tables.yaml) of these runs: one of each, or that of a corpus or a study."""
    if table == "gates":
        chosen = [run for run in chosen if run["method"] == "gates"]
    pattern = f"<results>/{TABLES[table]}"
    if "{study}" in pattern:
        return pattern.format(study=study)
    corpora = {run["run"]: runs.loc[run["run"], "corpus"] for run in chosen}
    return [
        pattern.format(run=run, corpus=corpus, split=config["heads"]["split"])
        for run, corpus in corpora.items()
    ]


def runs_of(study, item):
    """An input function: the runs that an item shows at this scale, as `item_runs` gives them."""
    return lambda wildcards: item_runs(
        studies[study].item(item), at_scale(study), SHEET
    )


def read_by_item(study, item):
    """Table -> its files, of all tables that an item reads."""
    chosen = runs_of(study, item)(None)
    return {
        table: table_files(table, study, chosen)
        for table in studies[study].item(item).tables
    }


def item_files(study, item):
    """An input function: the tables that an item reads, and the published numbers that it shows."""
    published = {
        name: tracked(f"config/published/{file}.csv")
        for name, file in studies[study].item(item).published.items()
    }
    return lambda wildcards: read_by_item(study, item) | published


def tables_of_claims(study):
    """Table -> the runs whose tables the study's claims are tested on."""
    return claim_runs(studies[study], at_scale(study), SHEET)


def read_by_claims(study):
    """Table -> its files, one a run, of all tables that a study's claims are tested on, and those of its sweeps."""
    files = {}
    for table, chosen in tables_of_claims(study).items():
        if table == "sweeps":
            files |= {name: table_files(name, study, []) for name in (table, "kept")}
        else:
            files[table] = [table_files(table, study, [run])[0] for run in chosen]
    return files


def made_items(study):
    """The items of a study that can be made at this scale."""
    return [
        item
        for item in studies[study].items
        if can_be_made(item, at_scale(study), SHEET)
    ]


def read_from(phase):
    """An input function: all files of a phase that items and claims read, those of every study."""

    def files(wildcards):
        found = []
        for study in studies:
            parts = [read_by_item(study, item.key) for item in made_items(study)]
            parts.append(read_by_claims(study))
            found += [file for part in parts for file in part.values()]
        paths = dict.fromkeys(flatten(found))
        return [path for path in paths if path.startswith(f"<results>/{phase}/")]

    return files


def reading(table, corpus=None):
    """The runs, of all corpora or of one, of which an item reads that table, by their ids."""
    found = [
        run["run"]
        for study in studies
        for item in made_items(study)
        if table in item.tables
        for run in runs_of(study, item.key)(None)
        if corpus in (None, runs.loc[run["run"], "corpus"])
    ]
    return list(dict.fromkeys(found))


CLAIMING = [study for study in studies if studies[study].claims]


def items(study):
    """The files of the items of a study that can be made at this scale, and the verdicts on its claims."""
    claims = [f"<results>/papers/{study}/claims.csv"] if study in CLAIMING else []
    return claims + [
        f"<results>/papers/{study}/{item.key}.{kind}"
        for item in made_items(study)
        for kind in ("svg", "pdf", "csv")
    ]


def items_of(*wanted):
    """An input function: the same of several studies."""
    return lambda wildcards: [path for study in wanted for path in items(study)]


def with_patterns(study):
    """The fine-tuned runs whose maps a study sorts by pattern, each with its task; none if no item shows patterns."""
    if not any("pattern_shares" in item.tables for item in studies[study].items):
        return []
    return [
        {"run": run["run"], "task": task_settings(run["run"])}
        for run in study_runs(at_scale(study))
        if run["run"] in CLASSIFYING and run["trained"]
    ]


def sweeps(study):
    """The runs of a study's sweeps: dictionaries of what `sweep_runs` gives, seed, penalty and target."""
    if not any(item.sweeps for item in studies[study].items):
        return []
    found = sweep_runs(at_scale(study), SHEET)
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
        "scores": collect("<results>/models/{run}/scores.json", run=swept),
        "config": collect("<results>/models/{run}/config.json", run=swept),
        "run": collect("<results>/models/{run}/run.json", run=swept),
        "gates": collect("<results>/models/{run}/gates.csv", run=gated),
        "removal": collect(
            "<results>/pruning/{run}/removal.json", run=removed(wildcards.study)
        ),
        "speed": collect(
            "<results>/pruning/{run}/speed.json", run=removed(wildcards.study)
        ),
    }


def crated_items(wildcards):
    """Item -> its files, of all items of a study that can be made at this scale, and the verdicts."""
    files = {}
    for path in items(wildcards.study):
        files.setdefault(Path(path).stem, []).append(path)
    return files


def crated_runs(wildcards):
    """The models that a study's items stand on, and those they started from."""
    taking_part = study_runs(at_scale(wildcards.study)) + sweeps(wildcards.study)
    waiting = [run["run"] for run in taking_part]
    found = []
    while waiting:
        run = waiting.pop(0)
        if run and run not in found:
            found.append(run)
            waiting.append(runs.loc[run, "init_run"])
    return found


def crated_workflow(wildcards):
    """The workflow's files that a study is made by, Snakefile first; the library is named by its commit."""
    patterns = (
        "workflow/rules/*.smk",
        "workflow/rules/inputs/*.smk",
        f"workflow/figures/{wildcards.study}/*.py",
        f"config/papers/{wildcards.study}.yaml",
        f"config/published/{wildcards.study}/*.csv",
        "config/tables.yaml",
        *SHEETS,
    )
    found = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in [ROOT / "Snakefile", *found]]
