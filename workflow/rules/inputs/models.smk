# How inputs and settings of models.smk are chosen.
import math

from headwork.models.training.procedure import PROCEDURE

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


def processes(wildcards):
    """How many processes train a run: of `devices`, so many that they share its batches out evenly."""
    recipe = run_choice("recipe", "recipes")(wildcards)
    batches = recipe.get("accumulation", 1) if recipe.get("steps") != 0 else 1
    return math.gcd(batches, config["devices"])


def gpus(wildcards):
    """The cards that a training needs."""
    return GPU * processes(wildcards)


def training_files(wildcards):
    """The text a run is trained on, its subwords, and the model and the mask it starts from, if any."""
    row = run_settings(wildcards)
    corpus = f"<results>/corpora/{row['corpus']}"
    text = {
        f"{split}_{side}": f"{corpus}/{split}.{side}.txt"
        for split in ("train", "dev")
        for side in ("source", "target")
    }
    start = (
        {"init": f"<results>/models/{row['init_run']}/model.safetensors"}
        if row["init_run"]
        else {}
    )
    if row["gates"] in settings.LEARNED and row["init_run"] in WITH_GATES:
        # heads that it has closed stay closed
        start["earlier"] = f"<results>/models/{row['init_run']}/gates.csv"
    masked = settings.mask_run(row["gates"])
    mask = {"mask": f"<results>/models/{masked}/gates.csv"} if masked else {}
    return {**text, "tokenizer": f"{corpus}/tokenizer.json", **start, **mask}


def translation_files(wildcards):
    """The test set of the run's corpus: tokenised, and as it came."""
    corpus = f"<results>/corpora/{runs.loc[wildcards.run, 'corpus']}"
    return {
        side: f"{corpus}/test.{side}.txt" for side in ("source", "target", "reference")
    }


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
    files = {split: f"{folder}/{split}.source.txt" for split in ("train", "dev")}
    if row["init_run"]:
        files["init"] = f"<results>/models/{row['init_run']}/model.safetensors"
    return files | {"tokenizer": f"{folder}/tokenizer.json"} | model_by_name(row)


def pretraining_files(wildcards):
    """The text a run is trained on, its pieces or the model that brings its own, and the run it starts from, if any."""
    row, folder = run_settings(wildcards), text_of(wildcards)
    files = {split: f"{folder}/{split}.txt" for split in ("train", "dev")}
    files |= model_by_name(row)
    if "model" not in files:
        brought = row["init_run"] and f"<results>/models/{row['init_run']}"
        files["pieces"] = f"{brought or folder}/tokenizer.json"
    if row["init_run"]:
        files["init"] = f"<results>/models/{row['init_run']}/model.safetensors"
    return files


def finetuning_files(wildcards):
    """The task's files, and the run that is fine-tuned."""
    row = run_settings(wildcards)
    return {
        "task": task_files(row["corpus"]),
        "init": f"<results>/models/{row['init_run']}/model.safetensors",
    }
