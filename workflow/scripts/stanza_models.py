"""Fetch stanza's published models of a language."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.parses.stanza.published_models import fetch_models

    folder, work = Path(snakemake.output.resources).parent, Path(".checkpoints/stanza")
    published = snakemake.params.published
    fetch_models(published["language"], published["package"], folder, work / snakemake.wildcards.parser)
