"""Measure how much the loss of one masked language model depends on its attention."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.relevance.jobs.sensitivity import sensitivity_run

    sensitivity_run(
        Path(snakemake.input.weights).parent,
        snakemake.input.text,
        snakemake.params.segments,
        snakemake.params.sensitivity,
        snakemake.output.sensitivity,
        device=snakemake.params.device,
    )
