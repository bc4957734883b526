"""Parse a text with stanza."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.parses.stanza.parsing import parse_text, pipeline_from

    folder, told = Path(snakemake.input.models[0]).parent, snakemake.params
    pipeline = pipeline_from(folder, told.language, device=told.device)
    parse_text(snakemake.input.lines, snakemake.output.trees, pipeline)
