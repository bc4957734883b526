"""Learn the subword vocabulary of a text."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.corpora.subwords import learning as subwords
    from headwork.settings.options import options

    settings = options(subwords.Subwords, snakemake.params.subwords, "subwords")
    tokenizer = subwords.learn([Path(snakemake.input.text)], settings)
    subwords.save(tokenizer, Path(snakemake.output.tokenizer))
