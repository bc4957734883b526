"""Train the language model of one row of the run sheet."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.jobs.language_model import train_language_model
    from headwork.models.training.processes import granted, spread

    row, given = snakemake.params.row, snakemake.input
    spread(
        granted(snakemake.resources.processes, snakemake.threads, snakemake.resources.gpu),
        train_language_model,
        snakemake.log[0],
        snakemake.threads,
        row=row,
        architecture=snakemake.params.architecture,
        recipe=snakemake.params.recipe,
        corpus_folder=Path(given.tokenizer).parent,
        output_folder=Path(snakemake.output.weights).parent,
        work_folder=Path(".checkpoints") / snakemake.config["scale"] / row["run"],
        device=snakemake.config["device"],
        init_folder=Path(given.init).parent if row["init_run"] else None,
        model_folder=Path(given.model).parent if given.get("model") else None,
    )
