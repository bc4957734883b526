"""How far apart the models of a corpus are in each layer."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from headwork.representations.distances.layer_distances import distances_run

    distances_run(
        dict(zip(snakemake.params.runs, snakemake.input.states, strict=True)),
        snakemake.params.distances,
        snakemake.output.table,
    )
