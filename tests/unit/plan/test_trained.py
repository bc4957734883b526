"""What trainings and measurements of models read."""

import pytest

from headwork.errors import InputError

MODELS, WORLD = "<results>/models", "<results>/corpora/world"


def test_a_pruned_model_starts_from_weights_and_gates_of_the_point_before(trained) -> None:
    assert trained.training_files("e4")["init"] == [
        f"{MODELS}/e6/model.safetensors",
        f"{MODELS}/e6/gates.csv",
    ]
    assert trained.training_files("e6")["init"] == [f"{MODELS}/base/model.safetensors"]
    assert set(trained.training_files("base")) == {"corpus"}
    assert trained.training_files("again")["mask"] == f"{MODELS}/e4/gates.csv"
    assert trained.removal_files("e4")["whole"] == f"{MODELS}/base/model.safetensors"


def test_language_models_read_one_side(trained) -> None:
    text = [f"{WORLD}/{name}" for name in ("train.source.txt", "dev.source.txt", "tokenizer.json")]
    assert trained.language_files("mlm") == {"corpus": text}
    assert trained.states("mlm") == {part: f"<results>/states/mlm.{kind}" for part, kind in
                                     (("states", "whole"), ("masked", "masked"))}  # fmt: skip
    assert set(trained.states("lm")) == {"states"}


def test_pieces_are_a_run_s_own_or_those_of_the_model_it_starts_from(trained, scale) -> None:
    pages = "<results>/corpora/pages"
    assert trained.pretraining_files("bert")["text"][-1] == f"{pages}/tokenizer.json"
    of_hub = trained.pretraining_files("named")
    assert of_hub["model"] == "<results>/hub/hub/model.safetensors"
    assert of_hub["text"] == [f"{pages}/train.txt", f"{pages}/dev.txt"]
    scale.rows["bert"]["init_run"] = "named"
    assert trained.pretraining_files("bert") == {
        "text": of_hub["text"],
        "init": [f"{MODELS}/named/{name}" for name in ("model.safetensors", "tokenizer.json")],
    }


def test_fine_tuning_reads_the_task_and_the_pretrained_run(trained, scale) -> None:
    assert trained.finetuning_files("tuned") == {
        "task": trained.texts.task_files("tuned"), "init": [f"{MODELS}/bert/model.safetensors"],
    }  # fmt: skip
    assert trained.task_head_files("tuned")["before"] == f"{MODELS}/bert/model.safetensors"
    scale.rows["random"]["init_run"] = "tuned"
    assert trained.finetuning_files("random")["init"] == [f"{MODELS}/tuned/model.safetensors"]
    pretrained = trained.task_head_files("random")["before"]
    assert pretrained == f"{MODELS}/bert/model.safetensors"


def test_processes_share_batches_out_evenly(trained, config) -> None:
    assert [trained.processes(run) for run in ("base", "lm", "named")] == [1, 2, 1]
    config["devices"] = 3
    assert trained.processes("lm") == 1


def test_published_models(trained, config) -> None:
    assert trained.published_weights() == ["<results>/weights/base/README.md"]
    assert trained.languages("base") == ["en", "karvan"]
    assert [len(trained.finished_files(run)) for run in ("base", "e4")] == [4, 5]
    config["weights"]["published"] = ["bas"]
    with pytest.raises(InputError, match=r"weights\.published: 'bas' is no translation model; .*base"):
        trained.published()
