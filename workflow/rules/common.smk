# What these files share: the settings, checked, and the functions that several of them choose inputs by.
import atexit
import os
import re
from pathlib import Path

from snakemake.logging import logger

from headwork import settings
from headwork.run_lock import be_alone
from headwork.corpora.annotated.glue import TASKS, check_header, task_file
from headwork.corpora.sources.local import below, file_at
from headwork.corpora.sources.locations import Fetched, Places
from headwork.errors import InputError
from headwork.fingerprint import fingerprint as fingerprint_of
from headwork.jobs import RUN, this_process
from headwork.last_words import LastWords
from headwork.outputs import check_writable, date_back
from headwork.run_sheets import LEARNED, mask_run, whole_run

ROOT = Path(workflow.basedir)
os.environ[RUN] = this_process()  # jobs end with this process
config["data"] = config["data"] or os.environ.get("HEADWORK_DATA")
SPLITS = ("train", "dev", "test")
GPU = int(config["device"] == "cuda")
CONFIG_FILES = [ROOT / "config/config.yaml", *workflow.overwrite_configfiles]
CONFIG_FILES = [os.path.relpath(path) for path in CONFIG_FILES]


try:
    runs, studies = settings.checked(
        config, ROOT, CONFIG_FILES, workflow.config_settings.config
    )
except InputError as error:
    stop(error)


onstart:
    try:
        be_alone(".snakemake/run.lock")
        check_writable("results")
    except InputError as error:
        stop(error)
    for folder in ("results", ROOT / "config", ROOT / "workflow"):
        date_back(folder)


def targets_by_name():
    """The rules that can be asked for by name, and what those of single files make."""
    named = [rule for rule in workflow.rules if not rule.has_wildcards()]
    return [
        *(rule.name for rule in named),
        *(str(file) for rule in named for file in rule.output),
    ]


if workflow.is_main_process:
    last_words = LastWords(targets_by_name)
    logger.addHandler(last_words)
    atexit.register(last_words.print)


SHEETS = [path for path in config["runs"].values() if path]
SHEET = runs.to_dict("records")
DOWNLOADS = config.get("downloads", {})
FETCHED = Fetched(
    {name: entry["url"] for name, entry in DOWNLOADS.items()}, Path("<results>/corpora")
)


def with_objective(objective, column="run"):
    """What stands in that column of the runs with that objective, each once."""
    rows = [row for row in SHEET if row["objective"] == objective]
    return list(dict.fromkeys(row[column] for row in rows))


# A scale laid over another may leave corpora, texts and tasks behind that none of its runs uses.
USED = [
    corpus
    for corpus in dict.fromkeys(row["corpus"] for row in SHEET)
    if corpus in config["corpora"]
]
TRANSLATING = with_objective("translation")
# BERT reads paragraphs; a language model over the source side of a corpus has the encoder of a translation model.
MASKED = [
    run for run in with_objective("mlm") if runs.loc[run, "corpus"] in config["texts"]
]
LANGUAGE = [
    run for run in (*with_objective("lm"), *with_objective("mlm")) if run not in MASKED
]
CLASSIFYING = with_objective("classification")
WHOLE = [run for run in TRANSLATING if runs.loc[run, "gates"] == "none"]
WATCHED = [
    run for run in WHOLE if config["recipes"][runs.loc[run, "recipe"]].get("snapshots")
]
WITH_GATES = [run for run in TRANSLATING if runs.loc[run, "gates"] != "none"]
# Gates were learned on the weights of a run that has all its heads: the two can be compared.
PRUNED = [row["run"] for row in SHEET if row["gates"] in LEARNED and row["init_run"]]


def one_of(names):
    """A wildcard constraint: exactly these names; none at all if there are none."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    study=one_of(config["papers"]),
    run=one_of(runs.index),
    corpus=one_of(config["corpora"]),
    text=one_of(config["texts"]),
    task=one_of(config["tasks"]),
    parser=one_of(config["parsers"]),
    split=one_of(SPLITS),


def fingerprint(*sources):
    """What the sources and the headwork modules they import mean; comments and layout change nothing."""
    return fingerprint_of(*(ROOT / source for source in sources))


def calls(function):
    """What job.py needs in `params`, the function that it calls, and the fingerprint of that function's module."""
    place, _, _ = function.rpartition(".")
    source = f"workflow/src/{place.replace('.', '/')}.py"
    return {
        "function": function,
        "code": fingerprint("workflow/scripts/job.py", source),
    }


def run_settings(wildcards):
    """The run's row of the sheet, as a plain dict (Snakemake cannot hand a row of pandas to a script)."""
    return runs.loc[wildcards.run].to_dict()


def run_choice(column, section):
    """An input function: the part of the config that the run's row names in that column."""
    return lambda wildcards: config[section][runs.loc[wildcards.run, column]]


def corpus_settings(wildcards):
    """The part of the config that says how the text of a corpus, or of that of a run, is made: all but what is learned on it, or compared with it."""
    corpus = (
        wildcards.corpus
        if "corpus" in wildcards.keys()
        else runs.loc[wildcards.run, "corpus"]
    )
    return {
        key: value
        for key, value in config["corpora"][corpus].items()
        if key not in ("alignments", "treebank", "subwords", "parser", "stands_for")
    }


def tracked(path):
    """A file of this repository as an input: relative, so that a clone elsewhere has the same inputs."""
    return os.path.relpath(ROOT / path)


def data_folder(path):
    """The data folder, which that path is wanted of; `InputError` if none is given, or it is not there."""
    data = config["data"]
    return Places(data=data and Path(data)).folder("data", path)


def lacking(error):
    """End the run, as the data folder lacks a file."""
    stop(
        f"{error}; `make data` lists all that is missing, and the items that can be made without it"
    )


def data_file(path):
    """A file of the data folder, plain or compressed; or, if it says so, one that is fetched."""
    try:
        if isinstance(path, dict):
            return str(FETCHED.file(path["download"], path.get("member")))
        return str(file_at(data_folder(path), path))
    except InputError as error:
        lacking(error)


def domains(corpus):
    """The domains of the miniature world that the corpus is made of; none if it is made of real text."""
    return [
        source["domain"]
        for source in config["corpora"][corpus]["sources"]
        if source["type"] == "embedded"
    ]


def trees_of(corpus, split):
    """The trees that analyses of a corpus stand on: gold, or those of the parser that its config names."""
    kind = "gold" if config["corpora"][corpus]["parser"] == "gold" else "stanza"
    return f"<results>/parses/{corpus}/{split}.{kind}.conllu"


def encoder_files(folder):
    """The files of an encoder's folder that transformers loads."""
    return [
        f"{folder}/model.safetensors",
        f"{folder}/config.json",
        f"{folder}/tokenizer.json",
        f"{folder}/tokenizer_config.json",
    ]


def checkpoint_files(folder):
    """The files of a translation model's folder that transformers loads."""
    return [*encoder_files(folder), f"{folder}/generation_config.json"]


def text_of(wildcards):
    """The folder of the text that a run is trained on."""
    return f"<results>/corpora/{runs.loc[wildcards.run, 'corpus']}"


def task_split(entry, split):
    """The file of one split of a task: the world's, one of its folder in the data folder, or one that is fetched."""
    if entry.get("download"):
        folder = entry.get("folder") or entry["task"]
        return data_file(
            {"download": entry["download"], "member": f"{folder}/{split}.tsv"}
        )
    if entry.get("path"):
        try:
            folder = below(data_folder(entry["path"]), entry["path"])
            file = task_file(folder, entry["task"], split)
        except InputError as error:
            lacking(error)
        try:
            check_header(file, entry["task"])
        except InputError as error:
            stop(error)
        return str(file)
    return f"<results>/corpora/tasks/{entry['task']}/{split}.tsv"


def task_files(task):
    """The files of a task by split: the world's, or those of its folder in the data folder."""
    entry = config["tasks"][task]
    splits = ["train", *(entry.get("dev") or TASKS[entry["task"]].dev)]
    return [task_split(entry, split) for split in splits]


def task_read(wildcards):
    """An input function: the files of the task that a run is fine-tuned on."""
    return task_files(runs.loc[wildcards.run, "corpus"])


def task_described(wildcards):
    """An input function: the settings of that task."""
    return task_settings(wildcards.run)


def task_settings(run):
    """The task of a fine-tuned run: all of its entry but where its files lie."""
    entry = config["tasks"][runs.loc[run, "corpus"]]
    places = ("path", "trees", "download", "folder", "dev_ids")
    return {key: value for key, value in entry.items() if key not in places}


def dev_files(run):
    """The (first) dev set of a fine-tuned run's task, and its trees: the world's, or those the config names, if any."""
    entry = config["tasks"][runs.loc[run, "corpus"]]
    split = (entry.get("dev") or TASKS[entry["task"]].dev)[0]
    trees = f"<results>/corpora/tasks/{entry['task']}/{split}.conllu"
    if entry.get("path") or entry.get("download"):
        trees = data_file(entry["trees"]) if entry.get("trees") else []
    return {"task": task_split(entry, split), "trees": trees}


def treebank(run):
    """The treebank that a run's heads and probes are measured on: that of a parser, or the corpus's own gold trees."""
    corpus = runs.loc[run, "corpus"]
    if corpus in config["texts"]:
        parser = config["texts"][corpus]["treebank"]
    else:
        entry = config["corpora"][corpus]
        parser = entry.get("treebank", entry["parser"])
    if parser == "gold":
        return {
            part: f"<results>/parses/{corpus}/{part}.gold.conllu"
            for part in ("train", "dev")
        }
    return {
        part: f"<results>/parses/treebanks/{parser}/{part}.conllu"
        for part in ("train", "dev")
    }


def treebank_of(wildcards):
    """The same, as an input function."""
    return {f"{part}_trees": path for part, path in treebank(wildcards.run).items()}


def alignment_files(corpus):
    """Gold links and their text, which is the test set of a corpus unless the links have a text of their own."""
    entry = config["corpora"][corpus]["alignments"]
    if "text" in entry:
        return {name: data_file(entry[name]) for name in ("text", "links")}
    sides = {
        side: f"<results>/corpora/{corpus}/test.{side}.txt"
        for side in ("source", "target")
    }
    if entry["type"] == "local":
        return {**sides, "links": data_file(entry["links"])}
    world = f"<results>/corpora/world/{entry['domain']}"
    language = config["corpora"][corpus]["target"]
    return {
        **sides,
        "world_source": f"{world}.conllu",
        "world_target": f"{world}.{language}.txt",
        "links": f"{world}.{language}.align",
    }
