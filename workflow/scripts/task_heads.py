"""Measure the heads of a fine-tuned run on the dev set of its task."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.heads.jobs.task_heads import measure_task

    given, made, chosen = snakemake.input, snakemake.output, snakemake.params
    measure_task(
        Path(given.weights).parent,
        Path(given.before).parent,
        Path(given.task).parent,
        chosen.task,
        chosen.heads,
        made.statistics,
        made.examples,
        trees=given.trees or None,
        device=chosen.device,
    )
