# One row of the run sheet is one trained model.


rule train:
    """Train the model of one row of the run sheet; a killed training goes on from its last checkpoint."""
    input:
        unpack(training_files),
    output:
        **checkpoint_files("results/models/{run}"),
        history="results/models/{run}/history.csv",
        run="results/models/{run}/run.json",
    log:
        "logs/models/train/{run}.log",
    benchmark:
        "benchmarks/models/train/{run}.tsv"
    wildcard_constraints:
        run=one_of(WHOLE),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=4000,
    params:
        row=run_settings,
        architecture=run_choice("architecture", "architectures"),
        recipe=run_choice("recipe", "recipes"),
        device=config["device"],
        code=fingerprint("workflow/scripts/train.py"),
    message:
        "Train {wildcards.run}"
    script:
        "../scripts/train.py"


use rule train as train_gated with:
    output:
        **checkpoint_files("results/models/{run}"),
        history="results/models/{run}/history.csv",
        run="results/models/{run}/run.json",
        gates="results/models/{run}/gates.csv",
    wildcard_constraints:
        run=one_of(WITH_GATES),


rule translate:
    """Translate the test set with beam search and score it with sacreBLEU."""
    input:
        unpack(translation_files),
        **checkpoint_files("results/models/{run}"),
    output:
        translations="results/models/{run}/translations.test.txt",
        scores="results/models/{run}/scores.json",
    log:
        "logs/models/translate/{run}.log",
    benchmark:
        "benchmarks/models/translate/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        corpus=run_choice("corpus", "corpora"),
        translation=config["translation"],
        device=config["device"],
        code=fingerprint("workflow/scripts/translate.py"),
    message:
        "Translate with {wildcards.run}"
    script:
        "../scripts/translate.py"


rule all_models:
    """Every run of the sheet: trained, and its translations scored."""
    input:
        collect("results/models/{run}/scores.json", run=runs.index),
