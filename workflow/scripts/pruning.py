"""Gather the sweeps of one study."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.pruning.tables import heads_table, runs_table

    given, runs = snakemake.input, snakemake.params.runs
    models = {Path(path).parent.name: Path(path).parent for path in given.scores}
    smaller = {Path(path).parent.name: Path(path).parent for path in given.removal}
    heads = heads_table(runs, models)
    for table, path in (
        (runs_table(runs, heads, models, smaller), snakemake.output.runs),
        (heads, snakemake.output.heads),
    ):
        table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
