"""Clean running text and split it by paragraphs."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.running_text.paragraphs import prepare
    from headwork.corpora.sources.locations import Fetched, Places

    folder, data = Path(snakemake.output.table).parent, snakemake.config["data"]
    corpora = folder.parent
    fetched = Fetched(snakemake.params.downloads, corpora)
    places = Places(data and Path(data), corpora / "world", corpora / "tasks", fetched)
    prepare(snakemake.params.text, folder, places)
