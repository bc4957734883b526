"""Induce trees from the heads of one encoder."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.induced_trees import tree_run

    tree_run(
        Path(snakemake.input.weights).parent,
        snakemake.input.trees,
        snakemake.params.trees,
        snakemake.output.table,
        snakemake.output.branching,
        device=snakemake.params.device,
    )
