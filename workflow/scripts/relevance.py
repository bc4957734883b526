"""Measure the relevance of the heads of one run."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.relevance.jobs.relevance import relevance_run

    given = snakemake.input
    relevance_run(
        Path(given.weights).parent,
        given.source,
        given.target,
        snakemake.params.relevance,
        table_path=snakemake.output.relevance,
        hypotheses=given.get("hypotheses"),
        corpus=snakemake.params.corpus,
        device=snakemake.params.device,
    )
