# What is left of a model when its closed heads are gone, and what sweeps of pruning come to.


use rule heads as remove_heads with:
    """Write a pruned run's model without its closed heads, and time it beside the model it was pruned from."""
    input:
        unpack(of_job(trained.removal_files)),
        model=TRANSLATOR,
    output:
        model=model_files("<results>/pruning/{run}", "generation_config.json"),
        removal="<results>/pruning/{run}/removal.json",
        speed="<results>/pruning/{run}/speed.json",
    pathvars:
        job="pruning/{run}",
    wildcard_constraints:
        run=one_of(scale.pruned),
    params:
        **calls("remove_heads", "headwork.pruning.jobs.removal.remove_run"),
        settings=config["pruning"]["speed"],
        translation=config["translation"],
        threads=threads_given,
    message:
        "Remove the closed heads of {wildcards.run}"


use rule heads as disabling with:
    """A fine-tuned run's score on its task with each head, and each layer, disabled."""
    input:
        model=ENCODER,
        task=of_job(texts.task_files),
    output:
        table="<results>/pruning/disabling/{run}.csv",
    pathvars:
        job="pruning/disabling/{run}",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("disabling", "headwork.pruning.jobs.disabling.disable_run"),
        task=of_job(scale.task_settings),
        settings=config["disabling"],
    message:
        "Disable the heads of {wildcards.run}"


rule pruning:
    """The sweeps of a study: BLEU, heads kept, parameters and speed of every run, and the heads of every layer."""
    input:
        unpack(of_job(studied.sweep_files)),
    output:
        runs="<results>/pruning/{study}.runs.csv",
        heads="<results>/pruning/{study}.heads.csv",
    log:
        "<logs>/pruning/{study}.tables.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("pruning", "headwork.pruning.tables.gather_sweeps"),
        runs=of_job(studied.sweeps),
    message:
        "Gather the sweeps of {wildcards.study}"
    script:
        "../scripts/call.py"


use rule heads as ranking with:
    """A fine-tuned run's accuracy when heads are removed by importance, of all layers together and of each."""
    input:
        model=ENCODER,
        task=of_job(texts.task_files),
        importance="<results>/relevance/{run}.importance.parquet",
    output:
        heads="<results>/pruning/ranking/{run}.heads.csv",
        curves="<results>/pruning/ranking/{run}.curves.csv",
        effect="<results>/pruning/ranking/{run}.effect.csv",
    pathvars:
        job="pruning/ranking/{run}",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("ranking", "headwork.pruning.jobs.ranking.rank_run"),
        task=of_job(scale.task_settings),
        settings=config["pruning"]["ranking"],
        attribution=config["attribution"],
    message:
        "Remove heads of {wildcards.run} by importance"


use rule heads as measures with:
    """All measures of importance of a fine-tuned encoder's heads, and the score lost without each head."""
    input:
        model=ENCODER,
        task=of_job(texts.task_files),
    output:
        heads="<results>/pruning/measures/{run}.heads.csv",
        curves="<results>/pruning/measures/{run}.curves.csv",
    pathvars:
        job="pruning/measures/{run}",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("measures", "headwork.pruning.jobs.measures.measure_classifier"),
        task=of_job(scale.task_settings),
        settings=config["pruning"]["measures"],
    message:
        "Compare measures of importance on {wildcards.run}"


use rule heads as translation_measures with:
    """All measures of importance of a translation model's heads, layer-wise relevance propagation included."""
    input:
        corpus=of_job(trained.text, splits=["dev", "test"], sides=["source", "target"]),
        model=TRANSLATOR,
        relevance="<results>/relevance/{run}.parquet",
    output:
        heads="<results>/pruning/measures/{run}.heads.csv",
        curves="<results>/pruning/measures/{run}.curves.csv",
    pathvars:
        job="pruning/measures/{run}",
    wildcard_constraints:
        run=one_of(scale.translating),
    params:
        **calls("translation_measures", "headwork.pruning.jobs.measures.measure_translation"),
        translation=config["translation"],
        settings=config["pruning"]["measures"],
    message:
        "Compare measures of importance on {wildcards.run}"


rule all_pruning:
    """Tables of pruning and ablation that items and claims read."""
    input:
        of_job(studied.read_of, phase="pruning"),
