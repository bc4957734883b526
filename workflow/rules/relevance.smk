# What each head contributes to a run's predictions.


rule relevance:
    """Every head's share of its layer's relevance, by layer-wise relevance propagation."""
    input:
        unpack(relevance_files),
        **checkpoint_files("results/models/{run}"),
    output:
        relevance="results/relevance/{run}.parquet",
    log:
        "logs/relevance/{run}.log",
    benchmark:
        "benchmarks/relevance/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        relevance=config["relevance"],
        corpus=run_choice("corpus", "corpora"),
        device=config["device"],
        code=fingerprint("workflow/scripts/relevance.py"),
    message:
        "Propagate the relevance of {wildcards.run}"
    script:
        "../scripts/relevance.py"


rule all_relevance:
    """The relevance of every run of which an item shows it."""
    input:
        collect("results/relevance/{run}.parquet", run=with_relevance()),
