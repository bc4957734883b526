"""Look for word senses in one encoder's states."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.senses import sense_run

    given, keys = snakemake.input, iter(snakemake.input.gold)
    sources = [
        {"path": path, "keys": next(keys) if source["keys"] else None, "split": source["split"]}
        for path, source in zip(given.senses, snakemake.params.sources, strict=True)
    ]
    sense_run(
        Path(given.model[0]).parent,
        sources,
        snakemake.params.senses,
        dict(snakemake.output.items()),
        held_out=given.get("held_out") or None,
        device=snakemake.params.device,
    )
