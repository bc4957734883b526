# What each head contributes to a run's predictions.
include: "inputs/relevance.smk"


rule relevance:
    """Every head's share of its layer's relevance, by layer-wise relevance propagation."""
    input:
        unpack(relevance_files),
        **checkpoint_files("<results>/models/{run}"),
    output:
        relevance="<results>/relevance/{run}.parquet",
    log:
        "<logs>/relevance/{run}.log",
    benchmark:
        "<benchmarks>/relevance/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        relevance=config["relevance"],
        corpus=corpus_settings,
        device=config["device"],
        code=fingerprint("workflow/scripts/relevance.py"),
    message:
        "Propagate the relevance of {wildcards.run}"
    script:
        "../scripts/relevance.py"


rule sensitivity:
    """How much a masked language model's loss depends on each head's weights."""
    input:
        **encoder_files("<results>/models/{run}"),
        text=lambda wildcards: f"{text_of(wildcards)}/test.txt",
    output:
        sensitivity="<results>/relevance/{run}.sensitivity.parquet",
    log:
        "<logs>/relevance/sensitivity/{run}.log",
    benchmark:
        "<benchmarks>/relevance/sensitivity/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        segments=config["segments"],
        sensitivity=config["sensitivity"],
        device=config["device"],
        code=fingerprint("workflow/scripts/sensitivity.py"),
    message:
        "Measure what the loss of {wildcards.run} depends on"
    script:
        "../scripts/sensitivity.py"


rule attribution:
    """Attributions of a fine-tuned run's heads, and what follows: importance, completeness, maps, trees, triggers."""
    input:
        **encoder_files("<results>/models/{run}"),
        task=lambda wildcards: task_files(runs.loc[wildcards.run, "corpus"]),
    output:
        importance="<results>/relevance/{run}.importance.parquet",
        completeness="<results>/relevance/{run}.completeness.parquet",
        quadrature="<results>/relevance/{run}.quadrature.csv",
        edges="<results>/relevance/{run}.edges.csv",
        kept="<results>/relevance/{run}.kept.csv",
        trees="<results>/relevance/{run}.trees.json",
        maps="<results>/relevance/{run}.maps.json",
        triggers="<results>/relevance/{run}.triggers.csv",
    log:
        "<logs>/relevance/attribution/{run}.log",
    benchmark:
        "<benchmarks>/relevance/attribution/{run}.tsv"
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        task=lambda wildcards: task_settings(wildcards.run),
        attribution=config["attribution"],
        device=config["device"],
        code=fingerprint("workflow/scripts/attribution.py"),
    message:
        "Attribute the answers of {wildcards.run} to its heads"
    script:
        "../scripts/attribution.py"


rule all_relevance:
    """What items and claims read of heads' contributions."""
    input:
        read_from("relevance"),
        relevance_of_measures,
