"""Remove the closed heads of one pruned run for good, and time what is left."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.jobs.remove_heads import remove_closed_heads
    from headwork.pruning.speed import time_run

    given, smaller = snakemake.input, Path(snakemake.output.removal).parent
    remove_closed_heads(Path(given.model[0]).parent, smaller)
    time_run(
        Path(given.whole).parent,
        smaller,
        given.source,
        snakemake.params.translation,
        snakemake.params.speed,
        output=snakemake.output.speed,
        threads=snakemake.threads,
        device=snakemake.params.device,
    )
