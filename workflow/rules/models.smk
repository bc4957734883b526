# One row of a run sheet is one trained model.
from headwork.models.training.processes import processes_for

# What a training is given that does not decide its weights, and so is not recorded, as `device` is not.
TRAINING = {
    "work_folder": lambda wildcards, input: f".checkpoints/{config['scale']}/{wildcards.run}",
    "processes": lambda wildcards, input, threads, resources: processes_for(
        resources.processes, threads, resources.gpu
    ),
    "threads": threads_given,
    "device": device,
    "doing": lambda wildcards, input: trained.doing(wildcards.run),
}


rule train:
    """Train the model of one row of the run sheet; a killed training goes on from its last checkpoint."""
    input:
        unpack(of_job(trained.training_files)),
    output:
        **made_with(TRANSLATOR),
    log:
        "<logs>/models/train/{run}.log",
    benchmark:
        "<benchmarks>/models/train/{run}.tsv"
    wildcard_constraints:
        run=one_of(run for run in scale.whole if run not in scale.watched),
    conda:
        "../../envs/headwork.yaml"
    threads: of_job(trained.processes)
    resources:
        gpu=lambda wildcards: GPU * trained.processes(wildcards.run),
        mem_mb=4000,
        processes=of_job(trained.processes),
    params:
        **calls("train", "headwork.models.jobs.train.train_run"),
        **TRAINING,
        row=of_job(scale.deciding),
        architecture=of_job(scale.part, column="architecture"),
        recipe=of_job(scale.part, column="recipe"),
        stored_as=of_job(trained.stored_as),
    message:
        "{params.doing} {wildcards.run}"
    script:
        "../scripts/call.py"


use rule train as train_watched with:
    """Train a model and keep its weights after some updates, to measure how its heads develop."""
    output:
        **made_with(TRANSLATOR),
        snapshots=directory("<results>/models/{run}/snapshots"),
    wildcard_constraints:
        run=one_of(scale.watched),
    params:
        **calls("train_watched", "headwork.models.jobs.train.train_run"),


use rule train as train_gated with:
    """Train a translation model with gates on its heads, which close those that are not needed."""
    output:
        **made_with(TRANSLATOR),
        gates="<results>/models/{run}/gates.csv",
    wildcard_constraints:
        run=one_of(scale.with_gates),
    params:
        **calls("train_gated", "headwork.models.jobs.train.train_run"),


use rule train as language_model with:
    """Train a language model over the source side of a corpus: to predict the next token, or masked ones."""
    input:
        unpack(of_job(trained.language_files)),
    output:
        **made_with(ENCODER),
    wildcard_constraints:
        run=one_of(scale.language),
    params:
        **calls("language_model", "headwork.models.jobs.language_model.language_model_run"),


use rule language_model as pretrain with:
    """Pretrain a masked language model; or load the one that the config names."""
    input:
        unpack(of_job(trained.pretraining_files)),
    wildcard_constraints:
        run=one_of(scale.masked),
    priority: 1  # the longest of all jobs, so it must not begin last
    params:
        **calls("pretrain", "headwork.models.jobs.pretrain.pretrain_run"),


use rule language_model as finetune with:
    """Fine-tune a pretrained run on a task, and score it on the task's dev sets."""
    input:
        unpack(of_job(trained.finetuning_files)),
    output:
        **made_with(ENCODER),
        predictions="<results>/models/{run}/predictions.csv",
        scores="<results>/models/{run}/scores.json",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("finetune", "headwork.models.jobs.finetune.finetune_run"),
        task=of_job(scale.task_settings),
        architecture=lambda wildcards, input: None,  # that of init_run


rule translate:
    """Translate the test set with beam search and score it with sacreBLEU."""
    input:
        corpus=of_job(trained.text, splits=["test"], sides=["source", "target", "reference"]),
        model=TRANSLATOR,
    output:
        translations="<results>/models/{run}/translations.test.txt",
        scores="<results>/models/{run}/scores.json",
    log:
        "<logs>/models/translate/{run}.log",
    benchmark:
        "<benchmarks>/models/translate/{run}.tsv"
    wildcard_constraints:
        run=one_of(scale.translating),
    conda:
        "../../envs/headwork.yaml"
    resources:
        gpu=GPU,
    params:
        **calls("translate", "headwork.models.jobs.translate.translate_run"),
        corpus=of_job(scale.corpus_settings),
        settings=config["translation"],
        threads=threads_given,
        device=device,
    message:
        "Translate with {wildcards.run}"
    script:
        "../scripts/call.py"


rule piece_frequencies:
    """Frequency of each subword token in the text that a run was trained on."""
    input:
        text=of_job(trained.counted_text),
        tokenizer="<results>/models/{run}/tokenizer.json",
    output:
        frequencies="<results>/models/{run}/frequencies.parquet",
    log:
        "<logs>/models/frequencies/{run}.log",
    wildcard_constraints:
        run=one_of(scale.masked),
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("piece_frequencies", "headwork.corpora.subwords.jobs.piece_frequencies"),
    message:
        "Count the subword tokens of {wildcards.run}"
    script:
        "../scripts/call.py"


ESTIMATED = ("architectures", "recipes", "corpora", "texts", "tasks", "downloads")


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
        **calls("estimate", "headwork.models.jobs.estimate.estimate_scale"),
        sheet=scale.sheet,
        study_items={study: len(studies[study].items) for study in studies},
        teraflops=config.get("estimate", {}).get("teraflops"),
        config={name: config.get(name, {}) for name in ESTIMATED},
    message:
        f"Estimate what the scale '{config['scale']}' will cost"
    script:
        "../scripts/call.py"


rule all_models:
    """Every run of the sheet: trained and scored."""
    input:
        collect("<results>/models/{run}/scores.json", run=[*scale.translating, *scale.classifying]),
        collect("<results>/models/{run}/frequencies.parquet", run=scale.masked),
        collect("<results>/models/{run}/run.json", run=scale.language),


rule publish_weights:
    """A translation model as a folder that transformers loads, with a model card."""
    input:
        model=of_job(trained.finished_files),
    output:
        published=model_files(
            "<results>/weights/{run}",
            *("generation_config.json", "README.md", "history.csv", "run.json", "scores.json"),
        ),
    log:
        "<logs>/models/weights/{run}.log",
    wildcard_constraints:
        run=one_of(scale.translating),
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("publish_weights", "headwork.models.jobs.publish.publish_weights"),
        languages=of_job(trained.languages),
        corpus=of_job(scale.corpus_of),
    message:
        "Publish the weights of {wildcards.run}"
    script:
        "../scripts/call.py"


rule all_weights:
    """The models that are published with their weights."""
    input:
        of_job(trained.published_weights),
