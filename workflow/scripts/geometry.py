"""Probe what one encoder's attention and states know of trees."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.geometry import geometry_run

    given = snakemake.input
    geometry_run(
        Path(given.weights).parent,
        given.train,
        given.dev,
        snakemake.params.geometry,
        dict(snakemake.output.items()),
        device=snakemake.params.device,
    )
