"""The runs of a scale by kind, and what their rows say of them."""


def test_a_model_in_a_folder_is_not_of_the_hub(scale, config, tmp_path) -> None:
    config["architectures"]["hub"]["model"] = str(tmp_path)
    assert scale.from_hub == []


def test_weights_depend_on_what_recipe_and_architecture_say_not_on_their_names(scale) -> None:
    assert scale.deciding("e4") == {
        "run": "e4", "corpus": "world", "objective": "translation", "seed": 1, "init_run": "e6", "gates": "encoder",
        "penalty": 0.0, "target": 4,
    }  # fmt: skip
    assert scale.part("e4", "recipe") == {"steps": 9}


def test_what_is_learned_on_a_text_does_not_make_it_anew(scale) -> None:
    assert set(scale.corpus_settings("world")) == {"source", "target", "tokenisation", "sources"}
    assert scale.domains("world") == ["news"]
    assert scale.domains("real") == []


def test_where_a_task_lies_is_no_setting_of_its_runs(scale, config) -> None:
    config["tasks"]["rte"] = config["tasks"]["mrpc"]
    assert scale.task_settings("tuned") == {"task": "MRPC", "metric": "f1"}
