"""Count the pieces of one vocabulary in a text."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.subwords import frequencies
    from headwork.corpora.subwords import learning as subwords

    tokenizer = subwords.load(Path(snakemake.input.tokenizer))
    counts = frequencies.frequencies({"source": Path(snakemake.input.text)}, tokenizer)
    frequencies.save(counts, Path(snakemake.output.frequencies))
