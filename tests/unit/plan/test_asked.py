"""The files of an atlas."""

import pytest

from headwork.errors import InputError
from headwork.plan.asked import asked_files, atlas_name


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({"model": "package:some-bert==1.0/"}, "some-bert-1.0"),
        ({"model": "owner/bert base"}, "bert-base"),
        ({"model": "bert", "name": "mine"}, "mine"),
        ({}, "model"),
    ],
)
def test_a_page_has_the_model_s_name(config, name) -> None:
    assert atlas_name(config) == name


def test_files_of_a_folder_and_of_a_text(tmp_path) -> None:
    for name in ("config.json", "my.txt", "trees.conllu", "dev.tsv"):
        (tmp_path / name).touch()
    text, trees = str(tmp_path / "my.txt"), str(tmp_path / "trees.conllu")
    model = [str(tmp_path / "config.json")]
    asked = {"model": str(tmp_path), "compare": "owner/bert", "text": text, "parser": trees}
    assert asked_files(asked) == {"model_files": model, "compare_files": [], "text_files": [text, trees]}
    assert asked_files({"model": "bert", "pair": f"{text},{trees}"})["text_files"] == [text, trees]
    assert asked_files({"model": "bert", "text": text, "parser": "stanza:en"})["text_files"] == [text]
    pairs = {"pair": f"{text},{trees}", "examples": f"{trees},{text}"}
    assert asked_files({"model": "bert", **pairs})["text_files"] == [text, trees, trees, text]
    own = {"model": "bert", "text": text, "examples": trees}
    assert asked_files(own)["text_files"] == [text, trees]
    task = asked_files({"model": "bert", "task": f"rte:{tmp_path}"})
    assert task["text_files"] == [str(tmp_path / "dev.tsv")]


def test_what_is_wrong_is_said_in_a_sentence(tmp_path) -> None:
    with pytest.raises(InputError, match="an atlas is of a model: snakemake atlas --config model="):
        asked_files({"text": "my.txt"})
    with pytest.raises(InputError, match=r"no\.txt: there is no such file; check the path"):
        asked_files({"model": "bert", "text": "no.txt"})
    with pytest.raises(InputError, match=r"dev\.tsv: the file does not exist"):
        asked_files({"model": "bert", "task": f"RTE:{tmp_path}"})
