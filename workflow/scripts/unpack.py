"""Unpack one file of an archive."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.sources.archives import unpack

    unpack(Path(snakemake.input.archive), snakemake.wildcards.member, Path(snakemake.output.file))
