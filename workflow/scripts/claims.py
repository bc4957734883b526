"""Test one study's claims on the tables of this scale."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from headwork.papers.claims.evidence import read_evidence
    from headwork.papers.claims.judging import judge
    from headwork.papers.claims.verdicts import draw_verdicts
    from headwork.papers.item import save
    from headwork.papers.study import read_study

    files = dict(snakemake.input.items())
    study = read_study(files.pop("study"))
    claims = judge(study.key, study.claims, read_evidence(files, snakemake.params.runs))
    save(draw_verdicts(claims), claims, snakemake.output)
