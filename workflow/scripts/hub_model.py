"""Fetch one model of the hub."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.models.hub_files import NamedModel, fetch_model
    from headwork.options import options

    named = options(NamedModel, snakemake.params.model, f"architectures.{snakemake.wildcards.architecture}")
    fetch_model(named, Path(snakemake.output.note).parent)
