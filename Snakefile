"""headwork: from raw corpora to the tables and figures of the studies of attention heads."""

from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/downloads.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/parses.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/heads.smk"
include: "workflow/rules/relevance.smk"
include: "workflow/rules/pruning.smk"
include: "workflow/rules/representations.smk"
include: "workflow/rules/papers/voita2019.smk"
include: "workflow/rules/papers/clark2019.smk"
include: "workflow/rules/papers/kovaleva2019.smk"
include: "workflow/rules/papers/kobayashi2020.smk"
include: "workflow/rules/papers/hao2021.smk"
include: "workflow/rules/papers/raganato2018.smk"
include: "workflow/rules/papers/voita2019b.smk"
include: "workflow/rules/papers/coenen2019.smk"
include: "workflow/rules/papers/synthesis.smk"
include: "workflow/rules/papers/claims.smk"
include: "workflow/rules/papers/crates.smk"


rule all:
    """Every table, figure and claim of every study in the config."""
    default_target: True
    input:
        rules.all_corpora.input,
        rules.all_parses.input,
        rules.voita2019.input,
        rules.clark2019.input,
        rules.kovaleva2019.input,
        rules.kobayashi2020.input,
        rules.hao2021.input,
        rules.raganato2018.input,
        rules.voita2019b.input,
        rules.coenen2019.input,
        rules.synthesis.input,
        rules.verdicts.output,
