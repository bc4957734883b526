"""Align the test set of a corpus with statistical aligners."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.annotated.alignments import gold_pairs
    from headwork.corpora.sources import pairs
    from headwork.heads.jobs.aligners import aligner_run

    given = snakemake.input
    gold = gold_pairs(given, snakemake.params.gold)[: snakemake.params.sentences]
    known = pairs.aligned(Path(given.train_source), Path(given.train_target))
    training = ((pair.source.split(), pair.target.split()) for pair in known)
    aligner_run(gold, training, snakemake.params.aligners, snakemake.output.table)
