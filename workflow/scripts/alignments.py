"""Measure the alignments of one translation model."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.annotated.alignments import gold_pairs
    from headwork.heads.jobs.alignments import align_run

    align_run(
        Path(snakemake.input.model[0]).parent,
        gold_pairs(snakemake.input, snakemake.params.gold),
        snakemake.params.alignments,
        dict(snakemake.output.items()),
        device=snakemake.params.device,
    )
