# One row of a run sheet is one trained model. What trains carries the version of the training procedure, not a fingerprint
# of its code: a model is trained again for what decides its weights, never for a refactoring.
include: "inputs/models.smk"


rule train:
    """Train the model of one row of the run sheet; a killed training goes on from its last checkpoint."""
    input:
        unpack(training_files),
    output:
        model=checkpoint_files("<results>/models/{run}"),
        history="<results>/models/{run}/history.csv",
        run="<results>/models/{run}/run.json",
    log:
        "<logs>/models/train/{run}.log",
    benchmark:
        "<benchmarks>/models/train/{run}.tsv"
    wildcard_constraints:
        run=one_of(run for run in WHOLE if run not in WATCHED),
    conda:
        "../../envs/headwork.yaml"
    threads: processes
    resources:
        gpu=gpus,
        mem_mb=4000,
        processes=processes,
    params:
        row=what_decides,
        architecture=run_choice("architecture", "architectures"),
        recipe=run_choice("recipe", "recipes"),
        procedure=PROCEDURE,
        stored_as=stored_as,
        doing=what_is_done,
    message:
        "{params.doing} {wildcards.run}"
    script:
        "../scripts/train.py"


use rule train as train_watched with:
    """Train a model and keep its weights after some updates, to measure how its heads develop."""
    output:
        model=checkpoint_files("<results>/models/{run}"),
        history="<results>/models/{run}/history.csv",
        run="<results>/models/{run}/run.json",
        snapshots=directory("<results>/models/{run}/snapshots"),
    wildcard_constraints:
        run=one_of(WATCHED),


use rule train as train_gated with:
    """Train a translation model with gates on its heads, which close those that are not needed."""
    output:
        model=checkpoint_files("<results>/models/{run}"),
        history="<results>/models/{run}/history.csv",
        run="<results>/models/{run}/run.json",
        gates="<results>/models/{run}/gates.csv",
    wildcard_constraints:
        run=one_of(WITH_GATES),


use rule train as language_model with:
    """Train a language model over the source side of a corpus: to say the next piece, or masked ones."""
    input:
        unpack(language_files),
    output:
        model=encoder_files("<results>/models/{run}"),
        history="<results>/models/{run}/history.csv",
        run="<results>/models/{run}/run.json",
    wildcard_constraints:
        run=one_of(LANGUAGE),


use rule language_model as pretrain with:
    """Pretrain a masked language model; or bring in the one that the config names."""
    input:
        unpack(pretraining_files),
    wildcard_constraints:
        run=one_of(MASKED),
    priority: 1  # the longest of all jobs, so it must not begin last


use rule language_model as finetune with:
    """Fine-tune a pretrained run on a task, and score it on the task's dev sets."""
    input:
        unpack(finetuning_files),
    output:
        model=encoder_files("<results>/models/{run}"),
        history="<results>/models/{run}/history.csv",
        run="<results>/models/{run}/run.json",
        predictions="<results>/models/{run}/predictions.csv",
        scores="<results>/models/{run}/scores.json",
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    params:
        task=task_described,
        architecture=lambda wildcards, input: None,  # that of init_run; see `what_is_done`


rule translate:
    """Translate the test set with beam search and score it with sacreBLEU."""
    input:
        corpus=translation_files,
        model=checkpoint_files("<results>/models/{run}"),
    output:
        output=multiext(
            "<results>/models/{run}/", "translations.test.txt", "scores.json"
        ),
    log:
        "<logs>/models/translate/{run}.log",
    benchmark:
        "<benchmarks>/models/translate/{run}.tsv"
    wildcard_constraints:
        run=one_of(TRANSLATING),
    conda:
        "../../envs/headwork.yaml"
    resources:
        gpu=GPU,
    params:
        **calls("headwork.models.jobs.translate.translate_run"),
        corpus=corpus_settings,
        settings=config["translation"],
        device=config["device"],
    message:
        "Translate with {wildcards.run}"
    script:
        "../scripts/job.py"


rule piece_frequencies:
    """How often each piece of a run's vocabulary stands in the text the run was trained on."""
    input:
        text=lambda wildcards: f"{text_of(wildcards)}/train.txt",
        tokenizer="<results>/models/{run}/tokenizer.json",
    output:
        frequencies="<results>/models/{run}/frequencies.parquet",
    log:
        "<logs>/models/frequencies/{run}.log",
    wildcard_constraints:
        run=one_of(MASKED),
    conda:
        "../../envs/headwork.yaml"
    params:
        code=fingerprint("workflow/scripts/piece_frequencies.py"),
    message:
        "Count the pieces of {wildcards.run}"
    script:
        "../scripts/piece_frequencies.py"


rule estimate:
    """Say what the run sheet will cost, by study: jobs, GPU hours, disk; nothing is trained."""
    output:
        table="<results>/estimate.csv",
    log:
        "<logs>/models/estimate.log",
    localrule: True
    conda:
        "../../envs/headwork.yaml"
    params:
        sheet=SHEET,
        study_items={study: len(studies[study].items) for study in studies},
        teraflops=config.get("estimate", {}).get("teraflops"),
        code=fingerprint("workflow/scripts/estimate.py"),
    message:
        f"Estimate what the scale '{config['scale']}' will cost"
    script:
        "../scripts/estimate.py"


rule all_models:
    """Every run of the sheet: trained, and its translations or its answers scored."""
    input:
        collect("<results>/models/{run}/scores.json", run=[*TRANSLATING, *CLASSIFYING]),
        collect("<results>/models/{run}/frequencies.parquet", run=MASKED),
        collect("<results>/models/{run}/run.json", run=LANGUAGE),


rule publish_weights:
    """A translation model as a folder that transformers loads, with a model card: for those who do not want to train it."""
    input:
        model=finished_files,
    output:
        published=[
            *checkpoint_files("<results>/weights/{run}"),
            "<results>/weights/{run}/README.md",
            "<results>/weights/{run}/history.csv",
            "<results>/weights/{run}/run.json",
            "<results>/weights/{run}/scores.json",
        ],
    log:
        "<logs>/models/weights/{run}.log",
    wildcard_constraints:
        run=one_of(TRANSLATING),
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("headwork.models.jobs.publish.publish_weights"),
        languages=lambda wildcards: languages_of(wildcards.run),
        corpus=lambda wildcards: runs.loc[wildcards.run, "corpus"],
    message:
        "Publish the weights of {wildcards.run}"
    script:
        "../scripts/job.py"


rule all_weights:
    """The models that are published with their weights."""
    input:
        lambda wildcards: collect(
            "<results>/weights/{run}/README.md", run=published_models()
        ),
