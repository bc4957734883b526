# From raw text to cleaned, split and segmented corpora.
WORLD = "workflow/src/miniature_world"
WORLD_FILES = sorted(all_tracked(f"{WORLD}/*.yaml", f"{WORLD}/lexicon/*.tsv", f"{WORLD}/languages/*.yaml"))


rule world:
    """The miniature world: annotated English and its translations, generated."""
    input:
        data=WORLD_FILES,
    output:
        trees=world(config["world"]["sentences"]),
        translations=collect(
            "<results>/corpora/world/{domain}.{language}.{kind}",
            domain=config["world"]["sentences"],
            language=config["world"]["languages"],
            kind=["txt", "align"],
        ),
        summary=report(
            "<results>/corpora/world/summary.csv",
            caption="../report/world.rst",
            category="Corpora",
            labels={
                "item": "Miniature world",
                "shows": "lengths, Zipf's exponent, ambiguity",
            },
        ),
    log:
        "<logs>/corpora/world.log",
    benchmark:
        "<benchmarks>/corpora/world.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("world", "miniature_world.world.generate_world"),
        world={key: config["world"][key] for key in ("seed", "sentences", "languages")},
    message:
        "Generate the miniature world"
    script:
        "../scripts/call.py"


rule corpus:
    """Clean, tokenise and split a parallel corpus."""
    input:
        unpack(of_job(texts.corpus_files)),
    output:
        collect(
            "<results>/corpora/{{corpus}}/{split}.{side}.txt",
            split=SPLITS,
            side=["source", "target"],
        ),
        collect("<results>/corpora/{{corpus}}/{split}.reference.txt", split=["dev", "test"]),
        report=report(
            "<results>/corpora/{corpus}/cleaning.csv",
            caption="../report/cleaning.rst",
            category="Corpora",
            labels={"item": "{corpus}", "shows": "what was dropped and why"},
        ),
    log:
        "<logs>/corpora/corpus/{corpus}.log",
    benchmark:
        "<benchmarks>/corpora/corpus/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("corpus", "headwork.corpora.parallel.prepare.write_corpus"),
        corpus=of_job(scale.corpus_settings),
        downloads=lambda wildcards: texts.addresses("corpora", wildcards.corpus),
        data=not_recorded(config["data"]),
        threads=threads_given,
    message:
        "Clean and split {wildcards.corpus}"
    script:
        "../scripts/call.py"


rule subwords:
    """Learn one subword vocabulary for both sides of a corpus, and count its words and pieces."""
    input:
        source="<results>/corpora/{corpus}/train.source.txt",
        target="<results>/corpora/{corpus}/train.target.txt",
        others=of_job(texts.other_sources),
    output:
        tokenizer="<results>/corpora/{corpus}/tokenizer.json",
        frequencies="<results>/corpora/{corpus}/frequencies.parquet",
    log:
        "<logs>/corpora/subwords/{corpus}.log",
    benchmark:
        "<benchmarks>/corpora/subwords/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("subwords", "headwork.corpora.subwords.jobs.corpus_subwords"),
        subwords=lambda wildcards: {
            key: value
            for key, value in (config["corpora"][wildcards.corpus]["subwords"] or {}).items()
            if key != "sources_of"
        },
    message:
        "Learn the subwords of {wildcards.corpus}"
    script:
        "../scripts/call.py"


rule text:
    """Clean running text and split it by paragraphs."""
    input:
        unpack(of_job(texts.text_files)),
    output:
        splits=collect("<results>/corpora/{{text}}/{split}.txt", split=SPLITS),
        table="<results>/corpora/{text}/paragraphs.csv",
    log:
        "<logs>/corpora/text/{text}.log",
    benchmark:
        "<benchmarks>/corpora/text/{text}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("text", "headwork.corpora.running_text.paragraphs.write_text"),
        text=setting("texts"),
        downloads=lambda wildcards: texts.addresses("texts", wildcards.text),
        data=not_recorded(config["data"]),
    message:
        "Split {wildcards.text} by paragraphs"
    script:
        "../scripts/call.py"


rule pieces:
    """Learn the subword vocabulary of a text."""
    input:
        text="<results>/corpora/{text}/train.txt",
    output:
        tokenizer="<results>/corpora/{text}/tokenizer.json",
    log:
        "<logs>/corpora/pieces/{text}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("pieces", "headwork.corpora.subwords.jobs.text_subwords"),
        subwords=setting("texts", "subwords"),
    message:
        "Learn the subwords of {wildcards.text}"
    script:
        "../scripts/call.py"


rule world_tasks:
    """The world's tasks in the formats of GLUE."""
    input:
        data=[*WORLD_FILES, *all_tracked(f"{WORLD}/tasks/*.tsv")],
    output:
        [
            f"<results>/corpora/tasks/{name}/{split}.tsv"
            for name in WORLD_TASKS
            for split in ("train", *TASKS[name].dev)
        ],
        [
            f"<results>/corpora/tasks/{name}/{split}.conllu"
            for name in WORLD_TASKS
            for split in TASKS[name].dev
        ],
        summary="<results>/corpora/tasks/summary.csv",
    log:
        "<logs>/corpora/tasks.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("world_tasks", "miniature_world.tasks.write.generate_tasks"),
        sizes=config["world"]["tasks"],
        seed=config["world"]["seed"],
    message:
        "Generate the world's tasks"
    script:
        "../scripts/call.py"


rule aligners:
    """Align a corpus's test set with statistical aligners, and score them against the gold links."""
    input:
        unpack(of_job(annotated.alignments)),
        train_source="<results>/corpora/{corpus}/train.source.txt",
        train_target="<results>/corpora/{corpus}/train.target.txt",
    output:
        table="<results>/corpora/{corpus}/aligners.csv",
    log:
        "<logs>/corpora/aligners/{corpus}.log",
    benchmark:
        "<benchmarks>/corpora/aligners/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("aligners", "headwork.heads.jobs.aligners.aligner_run"),
        gold=setting("corpora", "alignments"),
        sentences=config["alignments"].get("sentences"),
        aligners=config["aligners"],
    message:
        "Align {wildcards.corpus} with statistical aligners"
    script:
        "../scripts/call.py"


rule all_corpora:
    """Every corpus, text and task of the config: cleaned, split, segmented."""
    input:
        collect("<results>/corpora/{corpus}/tokenizer.json", corpus=scale.used),
        collect(
            "<results>/corpora/{text}/tokenizer.json",
            text=sorted(set(map(scale.corpus_of, scale.masked))),
        ),
        of_job(studied.read_of, phase="corpora"),
        "<results>/corpora/tasks/summary.csv" if texts.world_tasks else [],
        "<results>/corpora/world/summary.csv" if any(map(scale.domains, scale.used)) else [],
