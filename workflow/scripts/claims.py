"""Test one study's claims on the tables of this scale."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.studies.item import evidence, module_of, save
    from headwork.studies.judging import judge
    from headwork.studies.verdicts import draw_verdicts

    told = snakemake.params
    tests = module_of(told.study, "claims", Path(snakemake.scriptdir).parent / "studies")
    claims = judge(told.study, told.claims, evidence(dict(snakemake.input.items()), told.runs), tests)
    save(draw_verdicts(claims), claims, dict(snakemake.output.items()))
