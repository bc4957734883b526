"""Look for word senses in one encoder's states."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.senses_run import sense_run

    given = snakemake.input
    sense_run(
        Path(given.weights).parent,
        snakemake.params.sources,
        snakemake.params.senses,
        dict(snakemake.output.items()),
        held_out=given.get("held_out") or None,
        device=snakemake.params.device,
    )
