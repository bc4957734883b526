"""Learn the subwords of a corpus, and count its pieces."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.subwords import frequencies
    from headwork.corpora.subwords import learning as subwords
    from headwork.settings.options import options

    texts = {side: Path(snakemake.input[side]) for side in ("source", "target")}
    settings = options(subwords.Subwords, snakemake.params.subwords, "subwords")
    others = [Path(path) for path in snakemake.input.others]
    tokenizer = subwords.learn([*texts.values(), *others], settings)
    subwords.save(tokenizer, Path(snakemake.output.tokenizer))
    frequencies.save(frequencies.frequencies(texts, tokenizer), Path(snakemake.output.frequencies))
