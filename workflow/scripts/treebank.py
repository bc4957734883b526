"""Gather the trees a parser is trained on."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from headwork.parses.treebank import gather

    files, sizes = snakemake.input, dict(snakemake.params.treebank)
    del sizes["type"]
    for part in ("train", "dev"):
        sizes.pop(part, None)
    gather(
        files.get("train"),
        files.get("dev"),
        snakemake.output.train,
        snakemake.output.dev,
        kept_out=files.get("held_out", []),
        **sizes,
    )
