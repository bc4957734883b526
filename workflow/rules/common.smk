# What all of these files share: the settings, checked, and the few functions that choose inputs.
import os
from pathlib import Path

from snakemake.exceptions import WorkflowError

from headwork import settings
from headwork.corpora.glue import TASKS, task_file
from headwork.corpora.local import file_at
from headwork.corpora.sources import local_files
from headwork.errors import InputError
from headwork.fingerprint import fingerprint as fingerprint_of
from headwork.papers.study import read_study

ROOT = Path(workflow.basedir)
SPLITS = ("train", "dev", "test")
GPU = int(config["device"] == "cuda")

try:
    settings.check(config, ROOT / "workflow/schemas/config.schema.yaml", "config")
    runs = settings.read_runs(
        ROOT / config["runs"], ROOT / "workflow/schemas/runs.schema.yaml"
    )
    settings.check_runs(runs, config, config["runs"])
    settings.check_papers(runs, config["papers"])
    settings.check_relevance(config["relevance"])
    studies = {
        study: read_study(ROOT / f"config/papers/{study}.yaml")
        for study in config["papers"]
    }
except InputError as error:
    raise WorkflowError(str(error))


SHEET = runs.to_dict("records")


def with_objective(objective, column="run"):
    """What stands in that column of the runs with that objective, each once."""
    rows = [row for row in SHEET if row["objective"] == objective]
    return list(dict.fromkeys(row[column] for row in rows))


# A scale laid over another may leave corpora, texts and tasks behind that none of its runs uses.
USED = with_objective("translation", "corpus")
TRANSLATING = with_objective("translation")
MASKED = with_objective("mlm")
CLASSIFYING = with_objective("classification")
WHOLE = [run for run in TRANSLATING if runs.loc[run, "gates"] == "none"]
WITH_GATES = [run for run in TRANSLATING if runs.loc[run, "gates"] != "none"]
# Gates were learned on the weights of a run that has all its heads: the two can be compared.
PRUNED = [
    row["run"] for row in SHEET if row["gates"] in settings.LEARNED and row["init_run"]
]


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


def fingerprint(script):
    """What the script and the headwork modules it imports mean; comments and layout change nothing."""
    return fingerprint_of(ROOT / script)


def run_settings(wildcards):
    """The run's row of the sheet, as a plain dict (Snakemake cannot hand a row of pandas to a script)."""
    return runs.loc[wildcards.run].to_dict()


def run_choice(column, section):
    """An input function: the part of the config that the run's row names in that column."""
    return lambda wildcards: config[section][runs.loc[wildcards.run, column]]


def corpus_settings(wildcards):
    """The part of the config that says how a corpus, or that of a run, is made: all but its gold alignments."""
    corpus = (
        wildcards.corpus
        if "corpus" in wildcards.keys()
        else runs.loc[wildcards.run, "corpus"]
    )
    return {
        key: value
        for key, value in config["corpora"][corpus].items()
        if key != "alignments"
    }


def tracked(path):
    """A file of this repository as an input: relative, so that a clone elsewhere has the same inputs."""
    return os.path.relpath(ROOT / path)


def world_data():
    """The lexicon, the grammar and the three languages of the miniature world."""
    folder = ROOT / "workflow/src/headwork/corpora/miniature"
    return sorted(
        tracked(path)
        for files in ("*.yaml", "lexicon/*.tsv", "languages/*.yaml")
        for path in folder.glob(files)
    )


# The tasks that the world can make.
WORLD_TASKS = [name for name in TASKS if name != "CoLA"]


def task_data():
    """The word lists that the world's tasks are made with."""
    folder = ROOT / "workflow/src/headwork/corpora/miniature/tasks"
    return sorted(tracked(path) for path in folder.glob("*.tsv"))


def corpus_files(wildcards):
    """What a corpus is made of: files of the world, or files of the data folder. Downloads are not there yet."""
    entry = config["corpora"][wildcards.corpus]
    languages = [
        language for language in (entry["source"], entry["target"]) if language != "en"
    ]
    world = [
        f"results/corpora/world/{domain}.{ending}"
        for domain in domains(wildcards.corpus)
        for ending in ("conllu", *(f"{language}.txt" for language in languages))
    ]
    try:
        return {
            "world": world,
            "data": [str(path) for path in local_files(entry, config["data"])],
        }
    except InputError as error:
        raise WorkflowError(f"corpus '{wildcards.corpus}': {error}")


def data_file(path):
    """A file of the data folder, plain or compressed."""
    try:
        return str(file_at(Path(config["data"] or "."), path))
    except InputError as error:
        raise WorkflowError(str(error))


def domains(corpus):
    """The domains of the miniature world that the corpus is made of; none if it is made of real text."""
    return [
        source["domain"]
        for source in config["corpora"][corpus]["sources"]
        if source["type"] == "embedded"
    ]


def world_trees(wildcards):
    """The gold trees of the corpus's part of the miniature world."""
    return collect(
        "results/corpora/world/{domain}.conllu", domain=domains(wildcards.corpus)
    )


def trees_of(corpus, split):
    """The trees that analyses of a corpus stand on: gold, or those of the parser that its config names."""
    kind = "gold" if config["corpora"][corpus]["parser"] == "gold" else "stanza"
    return f"results/parses/{corpus}/{split}.{kind}.conllu"


def trees(wildcards):
    """The same, as an input function."""
    return trees_of(wildcards.corpus, wildcards.split)


def parser_files(wildcards):
    """The tagger and parser that the corpus's config names: trained here, or models that lie in a folder."""
    parser = config["corpora"][wildcards.corpus]["parser"]
    folder = config["parsers"][parser].get("folder", f"results/parses/parsers/{parser}")
    trained = [f"{folder}/tagger.pt", f"{folder}/parser.pt"]
    return (
        f"{folder}/resources.json"
        if Path(folder, "resources.json").is_file()
        else trained
    )


def treebank_files(wildcards):
    """The CoNLL-U files of a parser's treebank, and the text that must not be in it."""
    treebank = config["parsers"][wildcards.parser]["treebank"]
    parsed = [
        corpus
        for corpus in USED
        if config["corpora"][corpus]["parser"] == wildcards.parser
    ]
    held_out = [
        f"results/corpora/{corpus}/{config['heads']['split']}.source.txt"
        for corpus in parsed
    ]
    if treebank["type"] == "embedded":
        world = [
            f"results/corpora/world/{domain}.conllu"
            for domain in config["world"]["sentences"]
        ]
        return {"train": world, "dev": [], "held_out": held_out}
    return {part: [data_file(treebank[part])] for part in ("train", "dev")} | {
        "held_out": held_out
    }


def scored():
    """The corpora of which there are both gold trees and a parser's."""
    return [
        corpus
        for corpus in USED
        if domains(corpus) and config["corpora"][corpus]["parser"] != "gold"
    ]


def encoder_files(folder):
    """The files of an encoder's folder that transformers loads."""
    return {
        "weights": f"{folder}/model.safetensors",
        "config": f"{folder}/config.json",
        "tokenizer": f"{folder}/tokenizer.json",
        "tokenizer_config": f"{folder}/tokenizer_config.json",
    }


def checkpoint_files(folder):
    """The files of a translation model's folder that transformers loads."""
    return {
        **encoder_files(folder),
        "generation": f"{folder}/generation_config.json",
    }


def training_files(wildcards):
    """The text a run is trained on, its subwords, and the model and the mask it starts from, if any."""
    row = run_settings(wildcards)
    corpus = f"results/corpora/{row['corpus']}"
    text = {
        f"{split}_{side}": f"{corpus}/{split}.{side}.txt"
        for split in ("train", "dev")
        for side in ("source", "target")
    }
    start = (
        {"init": f"results/models/{row['init_run']}/model.safetensors"}
        if row["init_run"]
        else {}
    )
    masked = settings.mask_run(row["gates"])
    mask = {"mask": f"results/models/{masked}/gates.csv"} if masked else {}
    return {**text, "tokenizer": f"{corpus}/tokenizer.json", **start, **mask}


def translation_files(wildcards):
    """The test set of the run's corpus: tokenised, and as it came."""
    corpus = f"results/corpora/{runs.loc[wildcards.run, 'corpus']}"
    return {
        side: f"{corpus}/test.{side}.txt" for side in ("source", "target", "reference")
    }


def analysis_files(wildcards):
    """The text on which a run's heads are measured, its trees, and the frequencies of its subwords."""
    corpus, split = runs.loc[wildcards.run, "corpus"], config["heads"]["split"]
    return {
        "source": f"results/corpora/{corpus}/{split}.source.txt",
        "target": f"results/corpora/{corpus}/{split}.target.txt",
        "frequencies": f"results/corpora/{corpus}/frequencies.parquet",
        "trees": trees_of(corpus, split),
    }


def relevance_files(wildcards):
    """The text on which a run's relevance is measured, and its translations if it reads these."""
    split = config["relevance"]["split"]
    corpus = f"results/corpora/{runs.loc[wildcards.run, 'corpus']}"
    text = {side: f"{corpus}/{split}.{side}.txt" for side in ("source", "target")}
    if config["relevance"].get("prefix") == "hypothesis":
        text["hypotheses"] = f"results/models/{wildcards.run}/translations.{split}.txt"
    return text


def removal_files(wildcards):
    """A pruned run's gates, the model it was pruned from, and the sentences that both translate."""
    row = run_settings(wildcards)
    return {
        "gates": f"results/models/{row['run']}/gates.csv",
        "whole": f"results/models/{row['init_run']}/model.safetensors",
        "source": f"results/corpora/{row['corpus']}/test.source.txt",
    }


def text_files(wildcards):
    """What a text is made of: trees of the world, or files of the data folder. Downloads are not there yet."""
    entry = config["texts"][wildcards.text]
    world = [
        f"results/corpora/world/{source['domain']}.conllu"
        for source in entry["sources"]
        if source["type"] == "embedded"
    ]
    try:
        return {
            "world": world,
            "data": [str(path) for path in local_files(entry, config["data"])],
        }
    except InputError as error:
        raise WorkflowError(f"text '{wildcards.text}': {error}")


def text_of(wildcards):
    """The folder of the text that a run is trained on."""
    return f"results/corpora/{runs.loc[wildcards.run, 'corpus']}"


def pretraining_files(wildcards):
    """The text a run is trained on, its pieces unless the model brings its own, and the run it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    files = {split: f"{folder}/{split}.txt" for split in ("train", "dev")}
    if "model" not in config["architectures"][row["architecture"]]:
        files["pieces"] = f"{folder}/tokenizer.json"
    if row["init_run"]:
        files["init"] = f"results/models/{row['init_run']}/model.safetensors"
    return files


def task_files(task):
    """The files of a task by split: the world's, or those of its folder in the data folder."""
    entry = config["tasks"][task]
    splits = ["train", *(entry.get("dev") or TASKS[entry["task"]].dev)]
    if entry.get("path"):
        folder = Path(config["data"] or ".", entry["path"])
        return [str(task_file(folder, entry["task"], split)) for split in splits]
    return [f"results/corpora/tasks/{entry['task']}/{split}.tsv" for split in splits]


def finetuning_files(wildcards):
    """The task's files, and the run that is fine-tuned."""
    row = run_settings(wildcards)
    return {
        "task": task_files(row["corpus"]),
        "init": f"results/models/{row['init_run']}/model.safetensors",
    }


def treebank_of(wildcards):
    """The treebank that a run's heads and probes are measured on."""
    parser = config["texts"][runs.loc[wildcards.run, "corpus"]]["treebank"]
    return {
        part: f"results/parses/parsers/{parser}/{part}.conllu"
        for part in ("train", "dev")
    }


def word_files(wildcards):
    """Trees, and texts with mentions; of the world's, those of the paragraphs that the model was not trained on."""
    entry = config["texts"][runs.loc[wildcards.run, "corpus"]]
    mentions = [
        (
            f"results/corpora/world/{source['domain']}.conllu"
            if source["type"] == "embedded"
            else data_file(source["path"])
        )
        for source in entry["mentions"]
    ]
    embedded = any(source["type"] == "embedded" for source in entry["mentions"])
    return {
        "trees": treebank_of(wildcards)["dev"],
        "mentions": mentions,
        "held_out": f"{text_of(wildcards)}/test.txt" if embedded else [],
    }


def alignment_files(corpus):
    """Gold links and their text, which is the test set of a corpus unless the links have a text of their own."""
    entry = config["corpora"][corpus]["alignments"]
    if "text" in entry:
        return {name: data_file(entry[name]) for name in ("text", "links")}
    sides = {
        side: f"results/corpora/{corpus}/test.{side}.txt"
        for side in ("source", "target")
    }
    if entry["type"] == "local":
        return {**sides, "links": data_file(entry["links"])}
    world = f"results/corpora/world/{entry['domain']}"
    language = config["corpora"][corpus]["target"]
    return {
        **sides,
        "world_source": f"{world}.conllu",
        "world_target": f"{world}.{language}.txt",
        "links": f"{world}.{language}.align",
    }
