"""Measure the heads of one encoder between words."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.heads.jobs.word_heads import measure_words

    given = snakemake.input
    measure_words(
        Path(given.weights).parent,
        given.trees,
        [given.mentions] if isinstance(given.mentions, str) else given.mentions,
        snakemake.params.words,
        dict(snakemake.output.items()),
        held_out=given.get("held_out") or None,
        device=snakemake.params.device,
    )
