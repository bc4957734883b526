"""Compare all measures of importance on one translation model."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.pruning.jobs.measures import measure_translation

    given, params = snakemake.input, snakemake.params
    measure_translation(
        Path(given.weights).parent,
        Path(given.dev_source).parent,
        params.translation,
        params.measures,
        dict(snakemake.output.items()),
        given.relevance,
        device=params.device,
    )
