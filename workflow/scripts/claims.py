"""Test every study's claims on the tables of this scale."""

from headwork.jobs import job

with job(snakemake.log[0]):
    import json
    from pathlib import Path

    import pandas as pd

    from headwork.papers.claims import judge
    from headwork.papers.evidence import read_evidence
    from headwork.papers.item import save
    from headwork.papers.study import read_study
    from headwork.papers.verdicts import draw_verdicts

    verdicts = []
    for study in filter(lambda study: study.claims, map(read_study, snakemake.input.studies)):
        prefix = f"{study.key}_"
        files = {
            name.removeprefix(prefix): paths
            for name, paths in snakemake.input.items()
            if name.startswith(prefix)
        }
        tables = read_evidence(files, snakemake.params.runs[study.key])
        verdicts.append(judge(study.key, study.claims, tables))
    claims = pd.concat(verdicts, ignore_index=True)
    save(draw_verdicts(claims), claims, snakemake.output)
    # for `dvc metrics diff`: what each claim came to, by its sentence
    metrics = {
        study: {row["claim"]: {"ours": row["ours"], "verdict": row["verdict"]} for _, row in rows.iterrows()}
        for study, rows in claims.astype(object).where(claims.notna(), None).groupby("study")
    }
    Path(snakemake.output.metrics).write_text(json.dumps(metrics, indent=1, ensure_ascii=False) + "\n")
