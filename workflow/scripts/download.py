"""Fetch one file."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.sources.download import Address, fetch
    from headwork.options import options

    address = options(Address, snakemake.params.address, f"downloads.{snakemake.wildcards.download}")
    fetch(address, Path(snakemake.output.file), Path(".checkpoints/downloads") / snakemake.wildcards.download)
