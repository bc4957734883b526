"""Part MRPC's training pairs into GLUE's train and dev."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.annotated.mrpc import split_mrpc

    given, made = snakemake.input, snakemake.output
    split_mrpc(Path(given.pairs), Path(given.dev_ids), Path(made.train), Path(made.dev))
