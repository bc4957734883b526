"""Generate the miniature world."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from miniature_world.world import write_world

    world = snakemake.params.world
    write_world(Path(snakemake.output.summary).parent, world["sentences"], world["seed"], world["languages"])
