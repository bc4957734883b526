"""Compare all measures of importance on one fine-tuned encoder."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.pruning.jobs.measures import measure_classifier

    measure_classifier(
        Path(snakemake.input.weights).parent,
        Path(snakemake.input.task[0]).parent,
        snakemake.params.task,
        snakemake.params.measures,
        dict(snakemake.output.items()),
        device=snakemake.params.device,
    )
