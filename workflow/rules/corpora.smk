# From raw text to cleaned, split and segmented corpora.
from headwork.corpora.sources import fetched_files, local_files


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


rule world:
    """The miniature world: annotated English and its translations, generated."""
    input:
        data=world_data(),
    output:
        trees=collect(
            "results/corpora/world/{domain}.conllu",
            domain=config["world"]["sentences"],
        ),
        translations=collect(
            "results/corpora/world/{domain}.{language}.{kind}",
            domain=config["world"]["sentences"],
            language=config["world"]["languages"],
            kind=["txt", "align"],
        ),
        summary=report(
            "results/corpora/world/summary.csv",
            caption="../report/world.rst",
            category="Corpora",
            labels={
                "item": "Miniature world",
                "shows": "lengths, Zipf's exponent, ambiguity",
            },
        ),
    log:
        "logs/corpora/world.log",
    benchmark:
        "benchmarks/corpora/world.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        world={key: config["world"][key] for key in ("seed", "sentences", "languages")},
        code=fingerprint("workflow/scripts/world.py"),
    message:
        "Generate the miniature world"
    script:
        "../scripts/world.py"


rule corpus:
    """Clean, tokenise and split a parallel corpus."""
    input:
        unpack(corpus_files),
    output:
        collect(
            "results/corpora/{{corpus}}/{split}.{side}.txt",
            split=SPLITS,
            side=["source", "target"],
        ),
        collect(
            "results/corpora/{{corpus}}/{split}.reference.txt", split=["dev", "test"]
        ),
        report=report(
            "results/corpora/{corpus}/cleaning.csv",
            caption="../report/cleaning.rst",
            category="Corpora",
            labels={"item": "{corpus}", "shows": "what was dropped and why"},
        ),
    log:
        "logs/corpora/corpus/{corpus}.log",
    benchmark:
        "benchmarks/corpora/corpus/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        corpus=corpus_settings,
        downloads=corpus_downloads,
        data=config["data"],
        code=fingerprint("workflow/scripts/corpus.py"),
    message:
        "Clean and split {wildcards.corpus}"
    script:
        "../scripts/corpus.py"


rule subwords:
    """Learn one subword vocabulary for both sides of a corpus, and count its words and pieces."""
    input:
        source="results/corpora/{corpus}/train.source.txt",
        target="results/corpora/{corpus}/train.target.txt",
        others=other_sources,
    output:
        tokenizer="results/corpora/{corpus}/tokenizer.json",
        frequencies="results/corpora/{corpus}/frequencies.parquet",
    log:
        "logs/corpora/subwords/{corpus}.log",
    benchmark:
        "benchmarks/corpora/subwords/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        subwords=lambda wildcards: {
            key: value
            for key, value in config["corpora"][wildcards.corpus]["subwords"].items()
            if key != "sources_of"
        },
        code=fingerprint("workflow/scripts/subwords.py"),
    message:
        "Learn the subwords of {wildcards.corpus}"
    script:
        "../scripts/subwords.py"


rule text:
    """Clean running text and split it by paragraphs."""
    input:
        unpack(text_files),
    output:
        collect("results/corpora/{{text}}/{split}.txt", split=SPLITS),
        table="results/corpora/{text}/paragraphs.csv",
    log:
        "logs/corpora/text/{text}.log",
    benchmark:
        "benchmarks/corpora/text/{text}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        text=lambda wildcards: config["texts"][wildcards.text],
        downloads=text_downloads,
        data=config["data"],
        code=fingerprint("workflow/scripts/text.py"),
    message:
        "Split {wildcards.text} by paragraphs"
    script:
        "../scripts/text.py"


rule pieces:
    """Learn the subword vocabulary of a text."""
    input:
        text="results/corpora/{text}/train.txt",
    output:
        tokenizer="results/corpora/{text}/tokenizer.json",
    log:
        "logs/corpora/pieces/{text}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        subwords=lambda wildcards: config["texts"][wildcards.text]["subwords"],
        code=fingerprint("workflow/scripts/pieces.py"),
    message:
        "Learn the pieces of {wildcards.text}"
    script:
        "../scripts/pieces.py"


rule world_tasks:
    """The world's tasks in the formats of GLUE."""
    input:
        data=[*world_data(), *task_data()],
    output:
        [
            f"results/corpora/tasks/{name}/{split}.tsv"
            for name in WORLD_TASKS
            for split in ("train", *TASKS[name].dev)
        ],
        [
            f"results/corpora/tasks/{name}/{split}.conllu"
            for name in WORLD_TASKS
            for split in TASKS[name].dev
        ],
        summary="results/corpora/tasks/summary.csv",
    log:
        "logs/corpora/tasks.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        sizes=config["world"]["tasks"],
        seed=config["world"]["seed"],
        code=fingerprint("workflow/scripts/world_tasks.py"),
    message:
        "Generate the world's tasks"
    script:
        "../scripts/world_tasks.py"


rule aligners:
    """Align a corpus's test set with statistical aligners, and score them against the gold links."""
    input:
        unpack(lambda wildcards: alignment_files(wildcards.corpus)),
        train_source="results/corpora/{corpus}/train.source.txt",
        train_target="results/corpora/{corpus}/train.target.txt",
    output:
        table="results/corpora/{corpus}/aligners.csv",
    log:
        "logs/corpora/aligners/{corpus}.log",
    benchmark:
        "benchmarks/corpora/aligners/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        gold=lambda wildcards: config["corpora"][wildcards.corpus]["alignments"],
        sentences=config["alignments"].get("sentences"),
        aligners=config["aligners"],
        code=fingerprint("workflow/scripts/aligners.py"),
    message:
        "Align {wildcards.corpus} with statistical aligners"
    script:
        "../scripts/aligners.py"


rule all_corpora:
    """Every corpus, text and task of the config: cleaned, split, segmented."""
    input:
        collect("results/corpora/{corpus}/tokenizer.json", corpus=USED),
        collect(
            "results/corpora/{text}/tokenizer.json",
            text=sorted({runs.loc[run, "corpus"] for run in MASKED}),
        ),
        collect(
            "results/corpora/{corpus}/aligners.csv",
            corpus=sorted({runs.loc[run, "corpus"] for run in shown("alignments")}),
        ),
        "results/corpora/tasks/summary.csv" if of_the_world() else [],
        "results/corpora/world/summary.csv" if any(map(domains, USED)) else [],
