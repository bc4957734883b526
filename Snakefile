"""headwork: from raw corpora to the tables and figures of the studies of attention heads."""

from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/first_checks.smk"


configfile: "config/config.yaml"


# Each scale has results of its own.
pathvars:
    results=f"results/{config['scale']}",
    logs=f"logs/{config['scale']}",
    benchmarks=f"benchmarks/{config['scale']}",


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/downloads.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/distilled.smk"
include: "workflow/rules/parses.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/heads.smk"
include: "workflow/rules/relevance.smk"
include: "workflow/rules/pruning.smk"
include: "workflow/rules/representations.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/gallery.smk"
include: "workflow/rules/atlas.smk"


fingerprints.keep()
if workflow.is_main_process:
    versions.keep()


rule all:
    """Every table, figure and claim of every study in the config."""
    default_target: True
    input:
        rules.all_corpora.input,
        rules.all_parses.input,
        rules.all_studies.input,
