"""Generate the world's tasks in the formats of GLUE."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.settings.options import options
    from miniature_world.tasks.write import TaskSizes, write_tasks

    sizes = options(TaskSizes, snakemake.params.sizes, "world: tasks")
    table = write_tasks(Path(snakemake.output.summary).parent, sizes, snakemake.params.seed)
    table.to_csv(snakemake.output.summary, index=False, lineterminator="\n")
