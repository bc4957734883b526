# What attention and the vectors between layers know.


rule probes:
    """Trees read off a run's attention by probes, and the controls they must be compared with."""
    input:
        unpack(treebank_of),
        **encoder_files("results/models/{run}"),
        text=lambda wildcards: f"{text_of(wildcards)}/train.txt",
    output:
        table="results/representations/{run}.probes.csv",
    log:
        "logs/representations/probes/{run}.log",
    benchmark:
        "benchmarks/representations/probes/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        probes=config["representations"]["probes"],
        device=config["device"],
        code=fingerprint("workflow/scripts/probes.py"),
    message:
        "Probe the attention of {wildcards.run}"
    script:
        "../scripts/probes.py"


rule plane:
    """A run's heads on a plane, by how differently they attend."""
    input:
        statistics="results/heads/{run}.segments.parquet",
    output:
        points="results/representations/{run}.plane.csv",
        facts="results/representations/{run}.plane.json",
    log:
        "logs/representations/plane/{run}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        plane=config["representations"]["plane"],
        code=fingerprint("workflow/scripts/plane.py"),
    message:
        "Lay the heads of {wildcards.run} on a plane"
    script:
        "../scripts/plane.py"


rule all_representations:
    """What every masked language model of a study knows."""
    input:
        collect(
            "results/representations/{run}.{table}",
            run=encoders_of_studies(),
            table=["probes.csv", "plane.csv"],
        ),
