"""Measure the heads of one run."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.heads.jobs.translation_heads import measure_run

    given = snakemake.input
    measure_run(
        Path(given.weights).parent,
        given.source,
        given.target,
        given.trees,
        given.frequencies,
        snakemake.params.heads,
        statistics_path=snakemake.output.statistics,
        functions_path=snakemake.output.functions,
        examples_path=snakemake.output.examples,
        device=snakemake.params.device,
    )
