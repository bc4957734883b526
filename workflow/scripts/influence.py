"""How much tokens influence the others of their sentence in one run."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.influence import influence_run

    given = snakemake.input
    influence_run(
        Path(given.weights).parent,
        given.states,
        given.words,
        given.train,
        snakemake.params.influence,
        snakemake.params.evolution,
        snakemake.output.table,
        device=snakemake.params.device,
    )
