# Text for distillation: English sentences, and a published model's translations of them.
DISTILLED = config.get("distilled") or {}


rule select_sentences:
    """Select English sentences, parted by document, none of them of a test set."""
    input:
        of_job(texts.selected_from),
    output:
        **{split: f"<results>/corpora/distilled/{{distilled}}/{split}.source.txt" for split in SPLITS},
        table="<results>/corpora/distilled/{distilled}/selection.csv",
    log:
        "<logs>/corpora/select_sentences/{distilled}.log",
    benchmark:
        "<benchmarks>/corpora/select_sentences/{distilled}.tsv"
    wildcard_constraints:
        distilled=one_of(DISTILLED),
    conda:
        "../../envs/headwork.yaml"
    resources:
        mem_mb=4000,
    params:
        **calls("select_sentences", "headwork.corpora.selection.select.select"),
        selection=setting("distilled", "selection"),
        data=lambda wildcards, input: config["data"],  # with `input` it is not recorded
    message:
        "Select the sentences of {wildcards.distilled}"
    script:
        "../scripts/call.py"


rule distil:
    """Translate the selected sentences; a killed run goes on from its last block."""
    input:
        **{split: f"<results>/corpora/distilled/{{distilled}}/{split}.source.txt" for split in SPLITS},
    output:
        **{split: f"<results>/corpora/distilled/{{distilled}}/{split}.target.txt" for split in SPLITS},
        table=report(
            "<results>/corpora/distilled/{distilled}/quality.csv",
            caption="../report/distilled.rst",
            category="Corpora",
            labels={"item": "{distilled}", "shows": "faults of the translations"},
        ),
    log:
        "<logs>/corpora/distil/{distilled}.log",
    benchmark:
        "<benchmarks>/corpora/distil/{distilled}.tsv"
    wildcard_constraints:
        distilled=one_of(DISTILLED),
    conda:
        "../../envs/headwork.yaml"
    resources:
        mem_mb=4000,
    params:
        **calls("distil", "headwork.models.jobs.distil.distil"),
        teacher=setting("distilled", "teacher"),
    message:
        "Translate the sentences of {wildcards.distilled}, for hours"
    script:
        "../scripts/call.py"
