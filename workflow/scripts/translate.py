"""Translate the test set of one run's corpus and score it."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.jobs.translate import translate_run

    given = snakemake.input
    translate_run(
        Path(given.weights).parent,
        Path(given.source).parent,
        Path(snakemake.output.scores).parent,
        snakemake.params.corpus,
        snakemake.params.translation,
        threads=snakemake.threads,
        device=snakemake.params.device,
    )
