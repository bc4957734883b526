"""Pack one study's items, with what they were made by and from, as a Workflow Run RO-Crate."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.studies.crate import Made, write_crate
    from headwork.studies.study import read_study

    given, told = snakemake.input, snakemake.params
    made = Made(
        {item: [Path(path) for path in given[item]] for item in told.study_items},
        [Path(path) for path in given.runs],
        dict(zip(told.names, map(Path, given.workflow), strict=True)),
        dict(snakemake.config),
        told.sheets,
    )
    write_crate(read_study(given.study), made, Path(snakemake.output.crate), Path(".snakemake/metadata"))
