# What each head contributes to a run's predictions.
include: "inputs/relevance.smk"


use rule heads as relevance with:
    """Every head's share of its layer's relevance, by layer-wise relevance propagation."""
    input:
        unpack(relevance_files),
        model=checkpoint_files("<results>/models/{run}"),
    output:
        table="<results>/relevance/{run}.parquet",
    log:
        "<logs>/relevance/{run}.log",
    benchmark:
        "<benchmarks>/relevance/{run}.tsv"
    params:
        **calls("headwork.relevance.jobs.relevance.relevance_run"),
        settings=config["relevance"],
        corpus=corpus_settings,
    message:
        "Propagate the relevance of {wildcards.run}"


use rule heads as sensitivity with:
    """How much a masked language model's loss depends on each head's weights."""
    input:
        model=encoder_files("<results>/models/{run}"),
        text=lambda wildcards: f"{text_of(wildcards)}/test.txt",
    output:
        table="<results>/relevance/{run}.sensitivity.parquet",
    log:
        "<logs>/relevance/sensitivity/{run}.log",
    benchmark:
        "<benchmarks>/relevance/sensitivity/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED),
    params:
        **calls("headwork.relevance.jobs.sensitivity.sensitivity_run"),
        segments=config["segments"],
        settings=config["sensitivity"],
    message:
        "Measure what the loss of {wildcards.run} depends on"


use rule heads as attribution with:
    """Attributions of a fine-tuned run's heads, and what follows: importance, completeness, maps, trees, triggers."""
    input:
        model=encoder_files("<results>/models/{run}"),
        task=task_read,
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
    params:
        **calls("headwork.relevance.jobs.attribution.attribute_run"),
        task=task_described,
        settings=config["attribution"],
    message:
        "Attribute the answers of {wildcards.run} to its heads"


rule all_relevance:
    """What items and claims read of heads' contributions."""
    input:
        read_from("relevance"),
        relevance_of_measures,
