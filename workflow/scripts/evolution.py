"""How one run's representations evolve from layer to layer."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.evolution import evolution_run

    given = snakemake.input
    evolution_run(
        Path(given.tokenizer).parent,
        given.states,
        given.words,
        given.train,
        snakemake.params.evolution,
        snakemake.output.table,
        snakemake.output.points,
        masked_folder=given.get("masked") or None,
    )
