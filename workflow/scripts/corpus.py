"""Clean, tokenise and split one corpus."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.parallel.prepare import prepare
    from headwork.corpora.sources.locations import Fetched, Places

    folder, data = Path(snakemake.output.report).parent, snakemake.config["data"]
    corpora = folder.parent
    fetched = Fetched(snakemake.params.downloads, corpora)
    places = Places(data and Path(data), corpora / "world", fetched=fetched, distilled=corpora / "distilled")
    prepare(snakemake.params.corpus, folder, places, snakemake.threads)
