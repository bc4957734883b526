"""Fine-tune the model of one row of the run sheet on its task."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.jobs.finetune import finetune
    from headwork.models.training.processes import granted, spread

    row, given = snakemake.params.row, snakemake.input
    spread(
        granted(snakemake.resources.processes, snakemake.threads, snakemake.resources.gpu),
        finetune,
        snakemake.log[0],
        snakemake.threads,
        row=row,
        recipe=snakemake.params.recipe,
        task=snakemake.params.task,
        init=Path(given.init).parent,
        task_folder=Path(given.task[0]).parent,
        output_folder=Path(snakemake.output.weights).parent,
        work_folder=Path(".checkpoints") / snakemake.config["scale"] / row["run"],
        device=snakemake.config["device"],
    )
