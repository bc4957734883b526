"""Read trees off the attention of one encoder."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.probes import probe_run

    given = snakemake.input
    probe_run(
        Path(given.weights).parent,
        given.train,
        given.dev,
        given.text,
        snakemake.params.probes,
        snakemake.output.table,
        device=snakemake.params.device,
    )
