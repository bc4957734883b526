"""Measure the heads of one encoder on segments of running text."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.heads.jobs.segment_heads import measure_segments

    given = snakemake.input
    measure_segments(
        Path(given.weights).parent,
        given.text,
        given.frequencies,
        snakemake.params.segments,
        dict(snakemake.output.items()),
        device=snakemake.params.device,
    )
