"""Clean, tokenise and split one corpus."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.prepare import prepare
    from headwork.corpora.sources import Places

    corpora = Path("results/corpora")
    data = snakemake.params.data
    places = Places(data and Path(data), corpora / "world", corpora / "downloads")
    prepare(snakemake.params.corpus, corpora / snakemake.wildcards.corpus, places, snakemake.threads)
