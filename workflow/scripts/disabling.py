"""Score a fine-tuned run on its task with each of its heads, and each of its layers, disabled."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.pruning.jobs.disabling import disable_run

    given, chosen = snakemake.input, snakemake.params
    disable_run(
        Path(given.weights).parent,
        Path(given.task[0]).parent,
        chosen.task,
        chosen.disabling,
        snakemake.output.table,
        chosen.device,
    )
