# What is left of a model when its closed heads are gone, and what sweeps of pruning come to.


rule remove_heads:
    """Write a pruned run's model without its closed heads, and time it beside the model it was pruned from."""
    input:
        unpack(removal_files),
        **checkpoint_files("results/models/{run}"),
    output:
        **checkpoint_files("results/pruning/{run}"),
        removal="results/pruning/{run}/removal.json",
        speed="results/pruning/{run}/speed.json",
    log:
        "logs/pruning/{run}.log",
    benchmark:
        "benchmarks/pruning/{run}.tsv"
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


rule pruning:
    """The sweeps of a study: BLEU, heads kept, parameters and speed of every run, and the heads of every layer."""
    input:
        unpack(pruning_files),
    output:
        runs="results/pruning/{study}.runs.csv",
        heads="results/pruning/{study}.heads.csv",
    log:
        "logs/pruning/{study}.tables.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        runs=lambda wildcards: sweeps(wildcards.study),
        code=fingerprint("workflow/scripts/pruning.py"),
    message:
        "Gather the sweeps of {wildcards.study}"
    script:
        "../scripts/pruning.py"


rule all_pruning:
    """The tables of every study's sweeps."""
    input:
        collect(
            "results/pruning/{study}.{table}.csv",
            study=filter(sweeps, studies),
            table=["runs", "heads"],
        ),
