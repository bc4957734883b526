"""Test one study's claims on the tables of this scale."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.studies.item import evidence, module_of, save
    from headwork.studies.judging import judge
    from headwork.studies.study import read_study
    from headwork.studies.verdicts import draw_verdicts

    files = dict(snakemake.input.items())
    path = Path(files.pop("study"))
    study = read_study(path)
    tests = module_of(study.key, "claims", path.parents[1])
    claims = judge(study.key, study.claims, evidence(files, snakemake.params.runs), tests)
    save(draw_verdicts(claims), claims, dict(snakemake.output.items()))
