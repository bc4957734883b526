"""Look up the gold trees of a text."""

from headwork.jobs import job

with job(snakemake.log[0]):
    from headwork.parses.gold import write_gold

    write_gold(snakemake.input.lines, snakemake.input.trees, snakemake.output.trees)
