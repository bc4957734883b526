"""Score stanza's trees of a text against the gold ones."""

from headwork.jobs import job

with job(snakemake.log[0]):
    from headwork.parses.scores import score_files

    score_files(snakemake.input.gold, snakemake.input.parsed, snakemake.output.scores)
