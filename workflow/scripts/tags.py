"""Probe the layers of one encoder for tags."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.tags import tag_run

    given = snakemake.input
    files = zip(given.train, given.test, strict=True)
    tag_run(
        Path(given.model[0]).parent,
        dict(zip(snakemake.params.tasks, files, strict=True)),
        snakemake.params.tags,
        snakemake.output.table,
        device=snakemake.params.device,
        states=snakemake.params.states,
    )
