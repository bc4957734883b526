"""Fine-tune the model of one row of the run sheet on its task."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.finetuning_run import finetune

    row, given = snakemake.params.row, snakemake.input
    finetune(
        row,
        snakemake.params.recipe,
        snakemake.params.task,
        init=Path(given.init).parent,
        task_folder=Path(given.task[0]).parent,
        output_folder=Path(snakemake.output.weights).parent,
        work_folder=Path(".checkpoints") / row["run"],
        threads=snakemake.threads,
        device=snakemake.params.device,
    )
