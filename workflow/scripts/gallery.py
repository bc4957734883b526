"""Write the gallery of results: what lies in results/ of every scale, as static pages."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from pathlib import Path

    from headwork.studies.gallery.pages import write_gallery
    from headwork.studies.study import read_study

    root, output = Path(snakemake.params.root), Path(snakemake.output.index)
    studies = [read_study(path) for path in snakemake.input.studies]
    write_gallery(studies, root, output.parent, Path(".snakemake/metadata"))
