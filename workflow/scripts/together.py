"""Do the work of several rules in one process."""

from pathlib import Path

from headwork.together import run_steps

kept = Path(".checkpoints") / snakemake.config["scale"] / "together" / snakemake.rule
run_steps(snakemake.params.steps, snakemake.params.unrecorded, kept, snakemake)
