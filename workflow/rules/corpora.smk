# From raw text to cleaned, split and segmented corpora.


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
        world=config["world"],
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
        subwords=lambda wildcards: config["corpora"][wildcards.corpus]["subwords"],
        code=fingerprint("workflow/scripts/subwords.py"),
    message:
        "Learn the subwords of {wildcards.corpus}"
    script:
        "../scripts/subwords.py"


rule all_corpora:
    """Every corpus of the config: cleaned, split, segmented."""
    input:
        collect("results/corpora/{corpus}/tokenizer.json", corpus=USED),
        "results/corpora/world/summary.csv" if any(map(domains, USED)) else [],
