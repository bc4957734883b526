# How inputs and settings of corpora.smk are chosen.
from headwork.corpora.sources.streams import fetched_files, local_files


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
        f"<results>/corpora/world/{domain}.{ending}"
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
        lacking(f"corpus '{wildcards.corpus}': {error}")


def other_sources(wildcards):
    """The source sides of other corpora that a corpus's subwords are learned on too, so that they cut words alike."""
    others = config["corpora"][wildcards.corpus]["subwords"].get("sources_of", [])
    unknown = [corpus for corpus in others if corpus not in config["corpora"]]
    if unknown:
        stop(
            f"config: `corpora.{wildcards.corpus}.subwords.sources_of`: there is no corpus '{unknown[0]}'"
        )
    return collect("<results>/corpora/{corpus}/train.source.txt", corpus=others)


def text_files(wildcards):
    """What a text is made of: trees and tasks of the world, files of the data folder, and what is fetched."""
    entry = config["texts"][wildcards.text]
    tasks = [source for source in entry["sources"] if source["type"] == "task"]
    world = [
        f"<results>/corpora/world/{source['domain']}.conllu"
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
        lacking(f"text '{wildcards.text}': {error}")


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
