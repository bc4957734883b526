# How inputs and settings of models.smk are chosen.
import math

from headwork.models.training.procedure import PROCEDURE
from headwork.options import spelling

# The columns of a run sheet that decide a model's weights, or name it; recipe and architecture count by what they say.
DECIDING = (
    "run",
    "corpus",
    "objective",
    "seed",
    "init_run",
    "gates",
    "penalty",
    "target",
)


def what_decides(wildcards):
    """The cells of the run's row that decide its weights."""
    row = run_settings(wildcards)
    return {column: row[column] for column in DECIDING}


def stored_as(wildcards):
    """The precision of a run's files; a published model, and what is trained on top of one, is kept as it came."""
    published = "model" in run_choice("architecture", "architectures")(wildcards)
    return "float32" if published else config["weights"]["stored_as"]


def processes(wildcards):
    """How many processes train a run: of `devices`, so many that they share its batches out evenly."""
    recipe = run_choice("recipe", "recipes")(wildcards)
    batches = recipe.get("accumulation", 1) if recipe.get("steps") != 0 else 1
    return math.gcd(batches, config["devices"])


def what_is_done(wildcards, input):
    """What a training does, for its message; as it takes `input`, Snakemake does not record it with the model."""
    row = run_settings(wildcards)
    if config["recipes"][row["recipe"]].get("steps") == 0:
        named = config["architectures"][row["architecture"]]
        published = "model" in named and named.get("weights") != "random"
        return "Bring in the published model" if published else "Initialise"
    if row["objective"] == "classification":
        return "Fine-tune"
    return "Pretrain" if row["run"] in MASKED else "Train"


def gpus(wildcards):
    """The cards that a training needs."""
    return GPU * processes(wildcards)


def training_files(wildcards):
    """The text a run is trained on, its subwords, and the model and the mask it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    text = [
        f"{folder}/{split}.{side}.txt"
        for split in ("train", "dev")
        for side in ("source", "target")
    ]
    masked = mask_run(row["gates"])
    mask = {"mask": f"<results>/models/{masked}/gates.csv"} if masked else {}
    return {"corpus": [*text, f"{folder}/tokenizer.json"]} | start_of(row) | mask


def translation_files(wildcards):
    """The test set of the run's corpus: tokenised, and as it came."""
    corpus = f"<results>/corpora/{runs.loc[wildcards.run, 'corpus']}"
    return [f"{corpus}/test.{side}.txt" for side in ("source", "target", "reference")]


def finished_files(wildcards):
    """What the training and the translations of a run leave, the gates of one that has any included."""
    names = ["run.json", "history.csv", "scores.json", "model.safetensors"]
    names += ["gates.csv"] * (wildcards.run in WITH_GATES)
    return [f"<results>/models/{wildcards.run}/{name}" for name in names]


def published_models():
    """The runs that are published with their weights; an error for one that is no translation model of this scale."""
    for run in config["weights"]["published"]:
        if run not in TRANSLATING:
            stop(
                f"weights.published: '{run}' is no translation model; {spelling(run, TRANSLATING)}"
            )
    return config["weights"]["published"]


def languages_of(run):
    """The source and the target language of a translation model."""
    corpus = config["corpora"][runs.loc[run, "corpus"]]
    return [corpus["source"], corpus["target"]]


def start_of(row):
    """The weights of the run that a run starts from, if any; and its gates, as heads that it has closed stay closed."""
    start = row["init_run"]
    pruned = row["gates"] in LEARNED and start in WITH_GATES
    files = ("model.safetensors", "gates.csv") if pruned else ("model.safetensors",)
    return (
        {"init": [f"<results>/models/{start}/{name}" for name in files]}
        if start
        else {}
    )


def model_by_name(row):
    """The weights of the model that a run's architecture names: fetched from the hub, or in a folder; none if it names none."""
    named = config["architectures"][row["architecture"]].get("model")
    if named is None:
        return {}
    fetched = row["architecture"] in FROM_HUB
    folder = f"<results>/hub/{row['architecture']}" if fetched else named
    return {"model": f"{folder}/model.safetensors"}


def language_files(wildcards):
    """The source side that a language model is trained on, its subwords, and the run or the model it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    text = [f"{folder}/{split}.source.txt" for split in ("train", "dev")]
    files = {"corpus": [*text, f"{folder}/tokenizer.json"]}
    return files | start_of(row) | model_by_name(row)


def pretraining_files(wildcards):
    """The text a run is trained on, its pieces or the model that brings its own, and the run it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    files = {"text": [f"{folder}/{split}.txt" for split in ("train", "dev")]}
    files |= start_of(row) | model_by_name(row)
    if "model" in files:
        return files
    # its own pieces, or those of the run that it starts from
    if "init" in files:
        files["init"].append(f"<results>/models/{row['init_run']}/tokenizer.json")
    else:
        files["text"].append(f"{folder}/tokenizer.json")
    return files


def finetuning_files(wildcards):
    """The task's files, and the run that is fine-tuned."""
    row = run_settings(wildcards)
    return {"task": task_files(row["corpus"])} | start_of(row)
