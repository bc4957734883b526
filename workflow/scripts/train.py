"""Train the model of one row of the run sheet, in one process or in several, or bring in the one that it names."""

from headwork.run.frame import arguments, job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.jobs.trainers import trainer
    from headwork.models.loading.checkpoints import store_as
    from headwork.models.training.processes import granted, spread

    row, given = snakemake.params.row, dict(snakemake.input.items())
    settings = {
        "output_folder": Path(snakemake.output.history).parent,
        "work_folder": Path(".checkpoints") / snakemake.config["scale"] / row["run"],
        "device": snakemake.config["device"],
    }
    for name in ("row", "architecture", "recipe", "task"):
        if snakemake.params.get(name) is not None:
            settings[name] = snakemake.params[name]
    function = trainer(row["objective"], given)
    spread(
        granted(snakemake.resources.processes, snakemake.threads, snakemake.resources.gpu),
        function,
        snakemake.log[0],
        snakemake.threads,
        **arguments(function, given, {}, settings),
    )
    folder = settings["output_folder"]
    for stored in (folder, *folder.glob("snapshots/*")):
        store_as(stored, snakemake.params.stored_as)
