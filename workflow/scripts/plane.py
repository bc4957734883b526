"""Lay the heads of one encoder on a plane."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from headwork.representations.jobs.plane import plane_run

    plane_run(
        snakemake.input.statistics,
        snakemake.params.plane,
        snakemake.output.points,
        snakemake.output.facts,
    )
