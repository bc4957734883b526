# What each head contributes to a run's predictions.


use rule heads as relevance with:
    """Every head's share of its layer's relevance, by layer-wise relevance propagation."""
    input:
        unpack(of_job(trained.relevance_files)),
        model=TRANSLATOR,
    output:
        table="<results>/relevance/{run}.parquet",
    pathvars:
        job="relevance/{run}",
    params:
        **calls("relevance", "headwork.relevance.jobs.relevance.relevance_run"),
        settings=config["relevance"],
        corpus=of_job(scale.corpus_settings),
    message:
        "Propagate the relevance of {wildcards.run}"


use rule heads as sensitivity with:
    """How much a masked language model's loss depends on each head's weights."""
    input:
        model=ENCODER,
        text=of_run("<results>/corpora/{corpus}/test.txt"),
    output:
        table="<results>/relevance/{run}.sensitivity.parquet",
    pathvars:
        job="relevance/sensitivity/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("sensitivity", "headwork.relevance.jobs.sensitivity.sensitivity_run"),
        segments=config["segments"],
        settings=config["sensitivity"],
    message:
        "Measure the sensitivity of the loss of {wildcards.run}"


use rule heads as attribution with:
    """Attributions of a fine-tuned run's heads, and what follows: importance, completeness, maps, trees, triggers."""
    input:
        model=ENCODER,
        task=of_job(texts.task_files),
    output:
        importance="<results>/relevance/{run}.importance.parquet",
        completeness="<results>/relevance/{run}.completeness.parquet",
        quadrature="<results>/relevance/{run}.quadrature.csv",
        edges="<results>/relevance/{run}.edges.csv",
        kept="<results>/relevance/{run}.kept.csv",
        trees="<results>/relevance/{run}.trees.json",
        maps="<results>/relevance/{run}.maps.json",
        triggers="<results>/relevance/{run}.triggers.csv",
    pathvars:
        job="relevance/attribution/{run}",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("attribution", "headwork.relevance.jobs.attribution.attribute_run"),
        task=of_job(scale.task_settings),
        settings=config["attribution"],
    message:
        "Attribute the answers of {wildcards.run} to its heads"


rule all_relevance:
    """Tables of relevance that items and claims read."""
    input:
        of_job(studied.read_of, phase="relevance"),
        of_job(studied.relevance_of_measures),
