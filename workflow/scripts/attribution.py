"""Attribute the answers of one fine-tuned encoder to its heads."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.relevance.jobs.attribution import attribute_run

    given = snakemake.input
    attribute_run(
        Path(given.weights).parent,
        Path(given.task[0]).parent,
        snakemake.params.task,
        snakemake.params.attribution,
        dict(snakemake.output.items()),
        device=snakemake.params.device,
    )
