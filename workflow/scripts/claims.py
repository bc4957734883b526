"""Test every study's claims on the tables of this scale."""

from headwork.jobs import job

with job(snakemake.log[0]):
    import json
    from pathlib import Path

    import pandas as pd

    from headwork.papers.claims import judge
    from headwork.papers.item import save
    from headwork.papers.study import read_study
    from headwork.papers.tables import gather, read_functions, read_persons, read_statistics
    from headwork.papers.verdicts import draw_verdicts

    readers = {"functions": read_functions, "statistics": read_statistics, "persons": read_persons}
    verdicts = []
    for path, runs in zip(snakemake.input.studies, snakemake.params.runs, strict=True):
        study = read_study(path)
        tables = {
            name: gather(snakemake.input[f"{study.key}_{name}"], runs, read) for name, read in readers.items()
        }
        verdicts.append(judge(study.key, study.claims, tables))
    claims = pd.concat(verdicts, ignore_index=True)
    save(draw_verdicts(claims), claims, snakemake.output)
    # for `dvc metrics diff`: what each claim came to, by its sentence
    metrics = {
        study: {row["claim"]: {"ours": row["ours"], "verdict": row["verdict"]} for _, row in rows.iterrows()}
        for study, rows in claims.astype(object).where(claims.notna(), None).groupby("study")
    }
    Path(snakemake.output.metrics).write_text(json.dumps(metrics, indent=1, ensure_ascii=False) + "\n")
