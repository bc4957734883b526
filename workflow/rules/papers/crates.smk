# A study's items packed for publication: what was made, by what, from what.


rule crate:
    """Pack a study as a Workflow Run RO-Crate: items, claims, settings, runs, software, hashes of what they read."""
    input:
        unpack(crated_items),
        runs=crated_runs,
        study=lambda wildcards: tracked(f"config/papers/{wildcards.study}.yaml"),
        workflow=lambda wildcards: list(map(tracked, crated_workflow(wildcards))),
    output:
        crate="results/crates/{study}.zip",
    log:
        "logs/papers/{study}/crate.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        names=crated_workflow,
        study_items=lambda wildcards: list(crated_items(wildcards)),
        code=fingerprint("workflow/scripts/crate.py"),
    message:
        "Pack {wildcards.study}"
    script:
        "../../scripts/crate.py"


rule crates:
    """Every study of the config, packed."""
    input:
        collect("results/crates/{study}.zip", study=studies),
