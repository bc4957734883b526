"""Draw one item of a study from the tables that its module asks for."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.studies.item import draw, save

    folder = Path(snakemake.scriptdir).parent / "studies"
    shown = draw(snakemake.params.item, dict(snakemake.input.items()), snakemake.params.runs, folder)
    save(*shown, dict(snakemake.output.items()))
