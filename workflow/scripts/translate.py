"""Translate the test set of one run's corpus and score it."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.translation_run import translate_run

    given, corpus = snakemake.input, snakemake.params.corpus
    translate_run(
        Path(given.weights).parent,
        given.source,
        given.reference,
        corpus,
        snakemake.params.translation,
        translations_path=snakemake.output.translations,
        scores_path=snakemake.output.scores,
        device=snakemake.params.device,
    )
