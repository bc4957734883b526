# Which rules' work one job does at this scale, and how its files and parameters follow from theirs.
import re
from functools import cache

from snakemake.iocontainers import Wildcards


def part(rule, **wildcards):
    """The work of one rule, as a part of a job."""
    return workflow.get_rule(rule), Wildcards(fromdict=wildcards)


def made(rule, wildcards):
    """What a rule writes."""
    return rule.expand_output(wildcards)[0]


def read(rule, wildcards):
    """What a rule reads."""
    return rule.expand_input(wildcards)[0]


def written(parts):
    """What a job with these parts writes."""

    def marked(file):
        path = directory(str(file)) if "directory" in file.flags else str(file)
        return temp(path) if "temp" in file.flags else path

    return [marked(file) for each in parts for file in made(*each)]


def needed(parts):
    """An input function: what these parts read, and none of them writes."""

    def files(wildcards):
        own = {str(file) for each in parts for file in made(*each)}
        found = dict.fromkeys(str(file) for each in parts for file in read(*each))
        return [file for file in found if file not in own]

    return files


def logs(parts):
    """The logs of these parts."""
    return [
        str(file) for rule, wildcards in parts for file in rule.expand_log(wildcards)
    ]


def steps(parts):
    """A parameter function: what the script of each part gets (`headwork.together`)."""
    return lambda wildcards: [step(*each) for each in parts]


def step(rule, wildcards):
    """What a rule's script gets, by name, in plain types: Snakemake records it, and compares it with what it recorded."""
    files, outputs = read(rule, wildcards), made(rule, wildcards)
    params, _ = rule.expand_params(wildcards, files, outputs, None)
    plain = {
        name: {
            key: str(value) if isinstance(value, str) else list(map(str, value))
            for key, value in found.items()
        }
        for name, found in (("input", files), ("output", outputs))
    }
    return {
        "script": os.path.relpath(ROOT / "workflow/scripts" / Path(rule.script).name),
        "log": logs([(rule, wildcards)]),
        "wildcards": dict(wildcards.items()),
        "params": dict(params.items()),
        **plain,
    }


@cache
def wanted_files():
    """What items and claims read, of all studies whose runs are in the run sheet."""
    found = []
    for study in studies:
        try:
            tables = [read_by_item(study, item.key) for item in made_items(study)]
            found += [*tables, read_by_claims(study)]
            timed = collect("<results>/pruning/{run}/speed.json", run=removed(study))
            found.append({"removed": timed})
        except WorkflowError:
            continue
    return {
        file.replace("<results>", f"results/{config['scale']}")
        for tables in found
        for files in tables.values()
        for file in flatten([files])
    }


def path_to(run):
    """The runs with the same gates that a gated run goes on from, the first one first, and the run itself."""
    found = [run]
    while (
        runs.loc[found[0], "init_run"] in WITH_GATES
        and runs.loc[run, "gates"] in LEARNED
    ):
        found.insert(0, runs.loc[found[0], "init_run"])
    return found


def grouped(names, key):
    """Lists of names with the same key, by key, in their order."""
    found = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return found


def has_weights(run):
    """Whether anything is trained before that run starts."""
    start = runs.loc[run, "init_run"]
    return config["recipes"][runs.loc[start, "recipe"]].get("steps") != 0


def measured_with(run):
    """The name of what is measured in one job with a translation model: pruned ones, those of a corpus of few pairs."""
    corpus = runs.loc[run, "corpus"]
    if run in WITH_GATES:
        return f"pruned {corpus}"
    return corpus if config["corpora"][corpus].get("limit") else run


# Rules that measure one run, in the order in which one may read what another wrote.
MEASURING = {
    "translation": (
        "translate",
        "heads",
        "relevance",
        "induced_trees",
        "tags",
        "structural_probes",
        "edge_probes",
        "alignments",
        "translation_measures",
        "remove_heads",
    ),
    "masked": (
        "piece_frequencies",
        "segment_heads",
        "plane",
        "word_heads",
        "probes",
        "sensitivity",
        "induced_trees",
        "tags",
        "structural_probes",
        "edge_probes",
        "geometry",
        "senses",
    ),
    "language": ("structural_probes", "edge_probes"),
    "task": ("task_heads", "disabling", "attribution", "ranking", "measures"),
}
# What is read by other rules, and so is wanted if these are.
BESIDE = {
    "relevance": "translation_measures",
    "attribution": "ranking",
    "piece_frequencies": "segment_heads",
    "segment_heads": "plane",
}


def is_wanted(name, **wildcards):
    """Whether items, claims or another part of the same job read what a rule writes; all translations are scored."""
    found = {str(file) for file in made(*part(name, **wildcards))}
    others = name in BESIDE and is_wanted(BESIDE[name], **wildcards)
    return name == "translate" or others or not wanted_files().isdisjoint(found)


def measuring(kind, chosen):
    """Parts of a job: what items and claims read of these runs; translation models are all translated with."""
    return [
        part(name, run=run)
        for run in chosen
        for name in MEASURING[kind]
        if is_wanted(name, run=run)
    ]


def hidden_states(run):
    """Parts of a job: what layers of a run know and change, from its hidden states on."""
    masked = run in LANGUAGE and runs.loc[run, "objective"] == "mlm"
    parts = [part("states", run=run, reading="whole")]
    parts += [part("states", run=run, reading="masked")] * (
        masked and run in reading("evolution")
    )
    return parts + [
        part(table, run=run)
        for table in ("evolution", "influence")
        if run in reading(table)
    ]


def parses_of(corpus):
    """Parts of a job: the trees of a corpus, how good they are, and the relations counted in them."""
    which = {"corpus": corpus, "split": config["heads"]["split"]}
    parsed = config["corpora"][corpus]["parser"] != "gold"
    names = ["gold_parses"] * bool(domains(corpus)) + ["stanza_parses"] * parsed
    names += ["parser_scores"] * (corpus in scored())
    names += ["relations"] * is_wanted("relations", **which)
    return [part(name, **which) for name in names]


def jobs_of_corpora():
    """Name of a job, what it does, and its parts."""
    trained = [name for name in config["parsers"] if name not in PUBLISHED_PARSERS]
    for parser in trained:
        names = ("parser_treebank", "parser")
        yield f"train {parser}", "Train the parser", [
            part(name, parser=parser) for name in names
        ]
    for text in with_objective("mlm", "corpus"):
        if text in config["texts"]:
            parts = [part(name, text=text) for name in ("text", "pieces")]
            yield f"read {text}", "Read", parts
    # a parser must not have seen any text that it will parse, so it waits for all of them anyway
    parses = [each for corpus in USED for each in parses_of(corpus)]
    yield "parse corpora", "Parse all", parses
    for corpus in USED:
        compared = reading("distances", corpus=corpus)
        looked_at = reading("evolution") + reading("influence")
        parts = [
            part("states", run=run, reading="whole")
            for run in compared
            if run not in looked_at
        ]
        if compared:
            yield f"compare {corpus}", "Compare the models of", [
                *parts,
                part("layer_distances", corpus=corpus),
            ]


def jobs_of_runs():
    """Name of a job, what it does, and its parts."""
    of_sweep = grouped(
        [run for run in WITH_GATES if runs.loc[run, "gates"] in LEARNED],
        lambda run: path_to(run)[0],
    )
    for first, path in of_sweep.items():
        ordered = sorted(path, key=lambda run: len(path_to(run)))
        yield f"train {first} and on", "Train", [
            part("train_gated", run=run) for run in ordered
        ]
    # language models that differ in their seed, and models of a corpus of few pairs
    alike = ["corpus", "objective", "recipe"]
    for group in grouped(LANGUAGE, lambda run: tuple(runs.loc[run, alike])).values():
        yield f"train {group[0]} and others", "Train", [
            part("language_model", run=run) for run in group
        ]
    few = [
        run for run in WHOLE if config["corpora"][runs.loc[run, "corpus"]].get("limit")
    ]
    for corpus, models in grouped(few, lambda run: runs.loc[run, "corpus"]).items():
        yield f"train {corpus}", "Train the models of", [
            part("train", run=run) for run in models
        ]
    # a task's seeds start from one pretrained run, those of all tasks without one from an untrained one
    of_task = grouped(
        CLASSIFYING,
        lambda run: runs.loc[run, "corpus" if has_weights(run) else "init_run"],
    )
    for name, tuned in of_task.items():
        yield f"finetune {name}", "Fine-tune", [
            part("finetune", run=run) for run in tuned
        ]
        yield f"measure {name}", "Measure heads on", measuring("task", tuned)
    of_model = grouped(TRANSLATING, measured_with)
    for name, models in of_model.items():
        yield f"measure {name}", "Measure", measuring("translation", models)
    for run in MASKED:
        yield f"measure {run}", "Measure", measuring("masked", [run])
    looked_into = dict.fromkeys(reading("evolution") + reading("influence"))
    for run in {**looked_into, **dict.fromkeys(LANGUAGE)}:
        parts = hidden_states(run) if run in looked_into else []
        parts += measuring("language", [run]) if run in LANGUAGE else []
        yield f"layers {run}", "Follow the layers of", parts


def jobs_together():
    """Name of a job, its message, and its parts: none, if each rule's work is a job of its own at this scale."""
    found = [*jobs_of_corpora(), *jobs_of_runs()] if config["together"] else []
    return [
        (
            re.sub("[ -]", "_", name),
            f"{doing} {name.split()[1]}, {len(parts)} steps",
            parts,
        )
        for name, doing, parts in found
        if len(parts) > 1
    ]
