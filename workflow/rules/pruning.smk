# What is left of a model when its closed heads are gone, and what sweeps of pruning come to.
include: "inputs/pruning.smk"


rule remove_heads:
    """Write a pruned run's model without its closed heads, and time it beside the model it was pruned from."""
    input:
        unpack(removal_files),
        **checkpoint_files("<results>/models/{run}"),
    output:
        **checkpoint_files("<results>/pruning/{run}"),
        removal="<results>/pruning/{run}/removal.json",
        speed="<results>/pruning/{run}/speed.json",
    log:
        "<logs>/pruning/{run}.log",
    benchmark:
        "<benchmarks>/pruning/{run}.tsv"
    wildcard_constraints:
        run=one_of(PRUNED),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        speed=config["pruning"]["speed"],
        translation=config["translation"],
        device=config["device"],
        code=fingerprint("workflow/scripts/remove_heads.py"),
    message:
        "Remove the closed heads of {wildcards.run}"
    script:
        "../scripts/remove_heads.py"


rule disabling:
    """A fine-tuned run's score on its task with each head, and each layer, disabled."""
    input:
        **encoder_files("<results>/models/{run}"),
        task=lambda wildcards: task_files(runs.loc[wildcards.run, "corpus"]),
    output:
        table="<results>/pruning/disabling/{run}.csv",
    log:
        "<logs>/pruning/disabling/{run}.log",
    benchmark:
        "<benchmarks>/pruning/disabling/{run}.tsv"
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        task=lambda wildcards: task_settings(wildcards.run),
        disabling=config["disabling"],
        device=config["device"],
        code=fingerprint("workflow/scripts/disabling.py"),
    message:
        "Disable the heads of {wildcards.run}"
    script:
        "../scripts/disabling.py"


rule pruning:
    """The sweeps of a study: BLEU, heads kept, parameters and speed of every run, and the heads of every layer."""
    input:
        unpack(pruning_files),
    output:
        runs="<results>/pruning/{study}.runs.csv",
        heads="<results>/pruning/{study}.heads.csv",
    log:
        "<logs>/pruning/{study}.tables.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        runs=lambda wildcards: sweeps(wildcards.study),
        code=fingerprint("workflow/scripts/pruning.py"),
    message:
        "Gather the sweeps of {wildcards.study}"
    script:
        "../scripts/pruning.py"


rule ranking:
    """A fine-tuned run's accuracy when heads are removed by importance, of all layers together and of each."""
    input:
        **encoder_files("<results>/models/{run}"),
        task=lambda wildcards: task_files(runs.loc[wildcards.run, "corpus"]),
        importance="<results>/relevance/{run}.importance.parquet",
    output:
        heads="<results>/pruning/ranking/{run}.heads.csv",
        curves="<results>/pruning/ranking/{run}.curves.csv",
        effect="<results>/pruning/ranking/{run}.effect.csv",
    log:
        "<logs>/pruning/ranking/{run}.log",
    benchmark:
        "<benchmarks>/pruning/ranking/{run}.tsv"
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        task=lambda wildcards: task_settings(wildcards.run),
        ranking=config["pruning"]["ranking"],
        attribution=config["attribution"],
        device=config["device"],
        code=fingerprint("workflow/scripts/ranking.py"),
    message:
        "Remove heads of {wildcards.run} by importance"
    script:
        "../scripts/ranking.py"


rule measures:
    """All measures of importance of a fine-tuned encoder's heads, and what the heads are worth."""
    input:
        **encoder_files("<results>/models/{run}"),
        task=lambda wildcards: task_files(runs.loc[wildcards.run, "corpus"]),
    output:
        heads="<results>/pruning/measures/{run}.heads.csv",
        curves="<results>/pruning/measures/{run}.curves.csv",
    log:
        "<logs>/pruning/measures/{run}.log",
    benchmark:
        "<benchmarks>/pruning/measures/{run}.tsv"
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        task=lambda wildcards: task_settings(wildcards.run),
        measures=config["pruning"]["measures"],
        device=config["device"],
        code=fingerprint("workflow/scripts/measures.py"),
    message:
        "Compare measures of importance on {wildcards.run}"
    script:
        "../scripts/measures.py"


rule translation_measures:
    """The same of a translation model, with its relevance by layer-wise propagation."""
    input:
        unpack(measured_files),
        **checkpoint_files("<results>/models/{run}"),
        relevance="<results>/relevance/{run}.parquet",
    output:
        heads="<results>/pruning/measures/{run}.heads.csv",
        curves="<results>/pruning/measures/{run}.curves.csv",
    log:
        "<logs>/pruning/measures/{run}.log",
    benchmark:
        "<benchmarks>/pruning/measures/{run}.tsv"
    wildcard_constraints:
        run=one_of(TRANSLATING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        translation=config["translation"],
        measures=config["pruning"]["measures"],
        device=config["device"],
        code=fingerprint("workflow/scripts/translation_measures.py"),
    message:
        "Compare measures of importance on {wildcards.run}"
    script:
        "../scripts/translation_measures.py"


rule all_pruning:
    """What items and claims read of removed heads."""
    input:
        read_from("pruning"),
