"""Test one study's claims on the tables of this scale."""

from headwork.jobs import job

with job(snakemake.log[0]):
    from headwork.papers.claims import judge
    from headwork.papers.evidence import read_evidence
    from headwork.papers.item import save
    from headwork.papers.study import read_study
    from headwork.papers.verdicts import draw_verdicts

    files = dict(snakemake.input.items())
    study = read_study(files.pop("study"))
    claims = judge(study.key, study.claims, read_evidence(files, snakemake.params.runs))
    save(draw_verdicts(claims), claims, snakemake.output)
