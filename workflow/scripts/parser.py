"""Train stanza's tagger and parser."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.parses.stanza.training import train_parser

    settings = {key: value for key, value in snakemake.params.parser.items() if key != "treebank"}
    folder = Path(snakemake.output.parser).parent
    train_parser(
        snakemake.input.train, snakemake.input.dev, folder, device=snakemake.params.device, **settings
    )
