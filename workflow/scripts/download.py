"""Fetch one file."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.sources.download import Address, fetch
    from headwork.settings.options import options

    address = options(Address, snakemake.params.address, f"downloads.{snakemake.wildcards.download}")
    fetch(address, Path(snakemake.output.file), Path(".checkpoints/downloads") / snakemake.wildcards.download)
