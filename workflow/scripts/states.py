"""Extract the hidden states of one run on the text that is looked at."""

from headwork.jobs import job

with job(snakemake.log[0], snakemake.threads):
    from pathlib import Path

    from headwork.representations.jobs.states import extract_run

    extract_run(
        Path(snakemake.input.weights).parent,
        snakemake.input.text,
        snakemake.params.states,
        snakemake.output.states,
        masked=snakemake.params.masked,
        also=snakemake.params.also,
        device=snakemake.params.device,
    )
