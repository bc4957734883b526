# What all of these files share: the settings, checked, and the few functions that choose inputs.
import math
import os
from pathlib import Path

from snakemake.exceptions import WorkflowError

from headwork import settings
from headwork.alone import be_alone
from headwork.corpora.glue import TASKS, task_file
from headwork.corpora.local import file_at
from headwork.corpora.places import Fetched, file_name
from headwork.corpora.sources import fetched_files, local_files
from headwork.errors import InputError
from headwork.fingerprint import fingerprint as fingerprint_of
from headwork.outputs import check_writable
from headwork.papers.study import read_study, study_runs
from headwork.parses.senses import keys_beside

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


onstart:
    try:
        be_alone(".snakemake/run.lock")
        check_writable("results")
    except InputError as error:
        raise WorkflowError(str(error))


SHEET = runs.to_dict("records")
DOWNLOADS = config.get("downloads", {})
FETCHED = Fetched(
    {name: entry["url"] for name, entry in DOWNLOADS.items()}, Path("results/corpora")
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


def is_control(run):
    """Whether the run is a study's control, which was never trained."""
    return any(
        entry["run"] == run and not entry["trained"]
        for study in studies
        for entry in study_runs(config["papers"][study])
    )


def tag_settings(wildcards):
    """How a run is probed for tags; controls by other probes than the rest."""
    settings_of_tags = dict(config["representations"]["tags"])
    of_controls = settings_of_tags.pop("untrained_probes", settings_of_tags["probes"])
    if is_control(wildcards.run):
        settings_of_tags["probes"] = of_controls
    return settings_of_tags


def run_settings(wildcards):
    """The run's row of the sheet, as a plain dict (Snakemake cannot hand a row of pandas to a script)."""
    return runs.loc[wildcards.run].to_dict()


def run_choice(column, section):
    """An input function: the part of the config that the run's row names in that column."""
    return lambda wildcards: config[section][runs.loc[wildcards.run, column]]


def processes(wildcards):
    """How many processes train a run: of `devices`, so many that they share its batches out evenly."""
    recipe = run_choice("recipe", "recipes")(wildcards)
    batches = recipe.get("accumulation", 1) if recipe.get("steps") != 0 else 1
    return math.gcd(batches, config["devices"])


def gpus(wildcards):
    """The cards that a training needs."""
    return GPU * processes(wildcards)


def corpus_settings(wildcards):
    """The part of the config that says how a corpus, or that of a run, is made: all but what its models are compared with."""
    corpus = (
        wildcards.corpus
        if "corpus" in wildcards.keys()
        else runs.loc[wildcards.run, "corpus"]
    )
    return {
        key: value
        for key, value in config["corpora"][corpus].items()
        if key not in ("alignments", "treebank")
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


def download_of(wildcards):
    """The archive that a member is unpacked from; or the one file of a download."""
    return str(FETCHED.file(wildcards.download))


def addresses_in(part):
    """The addresses of the downloads that a part of the config names anywhere, by id."""
    if isinstance(part, dict):
        named = part.get("download")
        ids = named.values() if isinstance(named, dict) else [named] if named else []
        found = {name: FETCHED.urls.get(name) for name in ids}
        for value in part.values():
            found |= addresses_in(value)
        return found
    if isinstance(part, list):
        return {
            name: url for entry in part for name, url in addresses_in(entry).items()
        }
    return {}


def corpus_downloads(wildcards):
    """The addresses of what a corpus is made of: their names are those of the files."""
    return addresses_in(config["corpora"][wildcards.corpus]["sources"])


def text_downloads(wildcards):
    """The addresses of what a text is made of."""
    return addresses_in(config["texts"][wildcards.text]["sources"])


def corpus_files(wildcards):
    """What a corpus is made of: files of the world, of the data folder, and what is fetched."""
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
            "fetched": [str(path) for path in fetched_files(entry, FETCHED)],
        }
    except InputError as error:
        raise WorkflowError(f"corpus '{wildcards.corpus}': {error}")


def other_sources(wildcards):
    """The source sides of other corpora that a corpus's subwords are learned on too, so that they cut words alike."""
    others = config["corpora"][wildcards.corpus]["subwords"].get("sources_of", [])
    unknown = [corpus for corpus in others if corpus not in config["corpora"]]
    if unknown:
        raise WorkflowError(
            f"config: `corpora.{wildcards.corpus}.subwords.sources_of`: there is no corpus '{unknown[0]}'"
        )
    return collect("results/corpora/{corpus}/train.source.txt", corpus=others)


def data_file(path):
    """A file of the data folder, plain or compressed; or, if it says so, one that is fetched."""
    try:
        if isinstance(path, dict):
            return str(FETCHED.file(path["download"], path.get("member")))
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


# Parsers that stanza publishes, and that are fetched.
PUBLISHED_PARSERS = [
    parser for parser, entry in config["parsers"].items() if "published" in entry
]


def parser_files(wildcards):
    """The tagger and parser that the corpus's config names: trained here, published, or models that lie in a folder."""
    parser = config["corpora"][wildcards.corpus]["parser"]
    if parser in PUBLISHED_PARSERS:
        return f"results/parses/parsers/{parser}/resources.json"
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


# Architectures that are models of the hub, by their ids; a model may also be a folder.
FROM_HUB = [
    name
    for name, entry in config["architectures"].items()
    if "model" in entry and not Path(entry["model"]).is_dir()
]


def needed_from_the_net():
    """The downloads and models of the hub that the run sheet's runs need, the parsers of those, and what is probed for."""
    parts = [
        config[section][row["corpus"]]
        for row in SHEET
        for section in settings.TRAINED_ON[row["objective"]]
        if row["corpus"] in config[section]
    ]
    parts += [
        config["parsers"][part[key]]
        for part in parts
        for key in ("parser", "treebank")
        if part.get(key, "gold") != "gold"
    ]
    parts.append(config["representations"]["tags"])
    wanted = {name for part in parts for name in addresses_in(part)}
    wanted |= {SPLIT_HERE[name] for name in wanted & set(SPLIT_HERE)}
    parsers = {config["corpora"][corpus]["parser"] for corpus in USED}
    named = {row["architecture"] for row in SHEET} & set(FROM_HUB)
    return [
        *(str(FETCHED.file(name)) for name in sorted(wanted)),
        *(f"results/hub/{name}/model.safetensors" for name in sorted(named)),
        *(
            f"results/parses/parsers/{name}/resources.json"
            for name in sorted(parsers & set(PUBLISHED_PARSERS))
        ),
    ]


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


def measured_files(wildcards):
    """The sentences that measures of importance are taken on, dev, and judged on, test."""
    corpus = f"results/corpora/{runs.loc[wildcards.run, 'corpus']}"
    return {
        f"{split}_{side}": f"{corpus}/{split}.{side}.txt"
        for split in ("dev", "test")
        for side in ("source", "target")
    }


def text_files(wildcards):
    """What a text is made of: trees and tasks of the world, files of the data folder, and what is fetched."""
    entry = config["texts"][wildcards.text]
    tasks = [source for source in entry["sources"] if source["type"] == "task"]
    world = [
        f"results/corpora/world/{source['domain']}.conllu"
        for source in entry["sources"]
        if source["type"] == "embedded"
    ]
    try:
        return {
            "world": world,
            "tasks": [task_split(source, "train") for source in tasks],
            "data": [str(path) for path in local_files(entry, config["data"])],
            "fetched": [str(path) for path in fetched_files(entry, FETCHED)],
        }
    except InputError as error:
        raise WorkflowError(f"text '{wildcards.text}': {error}")


def language_files(wildcards):
    """The source side that a language model is trained on, its subwords, and the run it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    files = {split: f"{folder}/{split}.source.txt" for split in ("train", "dev")}
    if row["init_run"]:
        files["init"] = f"results/models/{row['init_run']}/model.safetensors"
    return files | {"tokenizer": f"{folder}/tokenizer.json"}


def text_of(wildcards):
    """The folder of the text that a run is trained on."""
    return f"results/corpora/{runs.loc[wildcards.run, 'corpus']}"


def pretraining_files(wildcards):
    """The text a run is trained on, its pieces or the model that brings its own, and the run it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    files = {split: f"{folder}/{split}.txt" for split in ("train", "dev")}
    named = config["architectures"][row["architecture"]].get("model")
    if named is None:
        brought = row["init_run"] and f"results/models/{row['init_run']}"
        files["pieces"] = f"{brought or folder}/tokenizer.json"
    elif row["architecture"] in FROM_HUB:
        files["model"] = f"results/hub/{row['architecture']}/model.safetensors"
    else:
        files["model"] = f"{named}/model.safetensors"
    if row["init_run"]:
        files["init"] = f"results/models/{row['init_run']}/model.safetensors"
    return files


# MRPC's two splits are not in one archive: its pairs, and which of them are dev.
SPLIT_HERE = {
    entry["download"]: entry["dev_ids"]
    for entry in config["tasks"].values()
    if entry.get("dev_ids")
}


def dev_ids_of(wildcards):
    """The file that says which pairs are dev."""
    return str(FETCHED.file(SPLIT_HERE[wildcards.download]))


def task_split(entry, split):
    """The file of one split of a task: the world's, one of its folder in the data folder, or one that is fetched."""
    if entry.get("download"):
        folder = entry.get("folder") or entry["task"]
        return data_file(
            {"download": entry["download"], "member": f"{folder}/{split}.tsv"}
        )
    if entry.get("path"):
        folder = Path(config["data"] or ".", entry["path"])
        return str(task_file(folder, entry["task"], split))
    return f"results/corpora/tasks/{entry['task']}/{split}.tsv"


def of_the_world():
    """The tasks of the run sheet's runs that the world makes."""
    tasks = with_objective("classification", "corpus")
    return [
        task
        for task in tasks
        if not (
            config["tasks"][task].get("path") or config["tasks"][task].get("download")
        )
    ]


def task_files(task):
    """The files of a task by split: the world's, or those of its folder in the data folder."""
    entry = config["tasks"][task]
    splits = ["train", *(entry.get("dev") or TASKS[entry["task"]].dev)]
    return [task_split(entry, split) for split in splits]


def task_settings(run):
    """The task of a fine-tuned run: all of its entry but where its files lie."""
    entry = config["tasks"][runs.loc[run, "corpus"]]
    places = ("path", "trees", "download", "folder", "dev_ids")
    return {key: value for key, value in entry.items() if key not in places}


def dev_files(run):
    """The (first) dev set of a fine-tuned run's task, and its trees: the world's, or those the config names, if any."""
    entry = config["tasks"][runs.loc[run, "corpus"]]
    split = (entry.get("dev") or TASKS[entry["task"]].dev)[0]
    trees = f"results/corpora/tasks/{entry['task']}/{split}.conllu"
    if entry.get("path") or entry.get("download"):
        trees = data_file(entry["trees"]) if entry.get("trees") else []
    return {"task": task_split(entry, split), "trees": trees}


def task_head_files(wildcards):
    """The dev set that a fine-tuned run's heads are measured on, and the run that it was fine-tuned from."""
    before = runs.loc[wildcards.run, "init_run"]
    return {
        **dev_files(wildcards.run),
        "before": f"results/models/{before}/model.safetensors",
    }


def pattern_files(wildcards):
    """The fine-tuned runs of a study, and the dev sets of their tasks."""
    chosen = [run["run"] for run in with_patterns(wildcards.study)]
    return {
        "weights": collect("results/models/{run}/model.safetensors", run=chosen),
        "tasks": [dev_files(run)["task"] for run in chosen],
    }


def finetuning_files(wildcards):
    """The task's files, and the run that is fine-tuned."""
    row = run_settings(wildcards)
    return {
        "task": task_files(row["corpus"]),
        "init": f"results/models/{row['init_run']}/model.safetensors",
    }


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
            part: f"results/parses/{corpus}/{part}.gold.conllu"
            for part in ("train", "dev")
        }
    return {
        part: f"results/parses/parsers/{parser}/{part}.conllu"
        for part in ("train", "dev")
    }


def treebank_of(wildcards):
    """The same, as an input function."""
    return treebank(wildcards.run)


# What is probed for in the layers of encoders; a scale may leave out what it has no tags for.
TAGGED = [
    task for task, entry in config["representations"]["tags"]["tasks"].items() if entry
]


def tag_files(wildcards):
    """For each task the file that probes learn from, and that on which they are scored."""
    tasks = config["representations"]["tags"]["tasks"]
    treebank = treebank_of(wildcards)
    return {
        part: [
            data_file(tasks[task][part]) if tasks[task].get("train") else treebank[own]
            for task in TAGGED
        ]
        for part, own in (("train", "train"), ("test", "dev"))
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


def analysed_files(wildcards):
    """The text whose tokens are looked at, its trees (the world's own, if it is the world's), and a file of tags."""
    corpus, settings_of_text = wildcards.corpus, config["representations"]["text"]
    split = settings_of_text["split"]
    files = {
        "source": f"results/corpora/{corpus}/{split}.source.txt",
        "trees": world_trees(wildcards) or trees_of(corpus, split),
    }
    if settings_of_text.get("tags"):
        files["tags"] = data_file(settings_of_text["tags"])
    return files


def states_of(wildcards):
    """A run's states on that text, and those of a masked language model on the text with pieces masked."""
    files = {"states": f"results/states/{wildcards.run}.whole"}
    if wildcards.run in LANGUAGE and runs.loc[wildcards.run, "objective"] == "mlm":
        files["masked"] = f"results/states/{wildcards.run}.masked"
    return files


def sense_sources(run):
    """The annotated texts of a run's text: path, and for local ones the keys and the part that they are for."""
    text = runs.loc[run, "corpus"]
    found = []
    for source in config["texts"][text].get("senses") or []:
        if source["type"] == "embedded":
            found.append({"path": f"results/corpora/world/{source['domain']}.conllu"})
            continue
        path = data_file(source["path"])
        beside = keys_beside(Path(path))
        keys = data_file(source["keys"]) if "keys" in source else beside and str(beside)
        found.append({"path": path, "keys": keys, "split": source.get("split")})
    if not found:
        raise WorkflowError(
            f"text '{text}' has no `senses`; name annotated text, or no run for the items that need it"
        )
    return found


def sense_files(wildcards):
    """Texts with senses and their keys; of the world's, the paragraphs that the model was not trained on count."""
    entry = config["texts"][runs.loc[wildcards.run, "corpus"]]
    found = sense_sources(wildcards.run)
    embedded = any(source["type"] == "embedded" for source in entry["senses"])
    return {
        "senses": [source["path"] for source in found],
        "gold": [source["keys"] for source in found if source.get("keys")],
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
