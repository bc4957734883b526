"""Collect the verdicts on all studies' claims."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    import pandas as pd

    from headwork.run.outputs import write_json, write_table
    from headwork.studies.verdicts import metrics

    claims = pd.concat(map(pd.read_csv, snakemake.input), ignore_index=True)
    write_table(snakemake.output.csv, claims)
    write_json(snakemake.output.metrics, metrics(claims))
