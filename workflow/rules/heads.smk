# What each head of a run does.


rule heads:
    """Every head's statistics in one pass over the analysis text, the functions they amount to, and examples."""
    input:
        unpack(analysis_files),
        **checkpoint_files("results/models/{run}"),
    output:
        statistics="results/heads/{run}.parquet",
        functions="results/heads/{run}.functions.csv",
        examples="results/heads/{run}.examples.json",
    log:
        "logs/heads/{run}.log",
    benchmark:
        "benchmarks/heads/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        heads=config["heads"],
        device=config["device"],
        code=fingerprint("workflow/scripts/heads.py"),
    message:
        "Measure the heads of {wildcards.run}"
    script:
        "../scripts/heads.py"


rule all_heads:
    """The heads of every run without gates, and of the pruned ones that an item shows, measured."""
    input:
        collect("results/heads/{run}.parquet", run=measured()),
