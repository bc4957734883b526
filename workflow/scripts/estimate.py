"""Estimate what the runs of the sheet will cost."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from headwork.models.jobs.estimate import TERAFLOPS, estimate
    from headwork.run.outputs import write_table

    told = snakemake.params
    table = estimate(told.sheet, snakemake.config, told.study_items, told.teraflops or TERAFLOPS)
    write_table(snakemake.output.table, table)
    print(table.to_string(index=False))
