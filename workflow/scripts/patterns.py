"""Tell attention patterns of a study's fine-tuned runs apart, by rules and by a network."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.heads.jobs.patterns import Source, classify_maps

    given, made, chosen = snakemake.input, snakemake.output, snakemake.params
    settings = {key: value for key, value in chosen.patterns.items() if key != "by_hand"}
    sources = [
        Source(run["run"], Path(weights).parent, Path(task).parent, run["task"])
        for run, weights, task in zip(chosen.runs, given.weights, given.tasks, strict=True)
    ]
    by_hand = given.by_hand or None
    classify_maps(sources, settings, made.table, made.facts, by_hand, chosen.device)
