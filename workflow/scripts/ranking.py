"""Remove the heads of one fine-tuned encoder by their importance."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.pruning.jobs.ranking import rank_run

    given, params = snakemake.input, snakemake.params
    rank_run(
        Path(given.weights).parent,
        Path(given.task[0]).parent,
        params.task,
        given.importance,
        params.ranking,
        params.attribution,
        dict(snakemake.output.items()),
        device=params.device,
    )
