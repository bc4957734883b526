"""The files of an atlas."""

import pytest

from headwork.errors import InputError
from headwork.plan.asked import asked_files, atlas_name
from headwork.settings.atlas import AtlasRequest
from headwork.settings.config import read_yaml
from headwork.settings.run_sheets import read_runs


def files_of(keys):
    return asked_files(AtlasRequest.read(keys, "command line"))


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
    assert atlas_name(AtlasRequest(**config)) == name


def test_files_of_a_folder_and_of_a_text(tmp_path) -> None:
    for name in ("config.json", "my.txt", "trees.conllu", "dev.tsv"):
        (tmp_path / name).touch()
    text, trees = str(tmp_path / "my.txt"), str(tmp_path / "trees.conllu")
    model = [str(tmp_path / "config.json")]
    asked = {"model": str(tmp_path), "compare": "owner/bert", "text": text, "parser": trees}
    assert files_of(asked) == {"model_files": model, "compare_files": [], "text_files": [text, trees]}
    assert files_of({"model": "bert", "pair": f"{text},{trees}"})["text_files"] == [text, trees]
    assert files_of({"model": "bert", "text": text, "parser": "stanza:en"})["text_files"] == [text]
    pairs = {"pair": f"{text},{trees}", "examples": f"{trees},{text}"}
    assert files_of({"model": "bert", **pairs})["text_files"] == [text, trees, trees, text]
    own = {"model": "bert", "text": text, "examples": trees}
    assert files_of(own)["text_files"] == [text, trees]
    task = files_of({"model": "bert", "task": f"rte:{tmp_path}"})
    assert task["text_files"] == [str(tmp_path / "dev.tsv")]


def test_what_is_wrong_is_said_in_a_sentence(tmp_path) -> None:
    with pytest.raises(InputError, match="an atlas is of a model: snakemake atlas --config model="):
        files_of({"text": "my.txt"})
    with pytest.raises(InputError, match=r"no\.txt: there is no such file; check the path"):
        files_of({"model": "bert", "text": "no.txt"})
    with pytest.raises(InputError, match=r"dev\.tsv: the file does not exist"):
        files_of({"model": "bert", "task": f"RTE:{tmp_path}"})
    with pytest.raises(InputError, match=r"`pair`: it is 'a\.txt'; write source\.txt,target\.txt"):
        files_of({"model": "bert", "pair": "a.txt"})
    with pytest.raises(InputError, match=r"`task`: it is 'RTE'; write TASK:FOLDER"):
        files_of({"model": "bert", "task": "RTE"})
    with pytest.raises(InputError, match=r"`name`: it is '\.\./up'; write a letter or digit"):
        files_of({"model": "bert", "name": "../up"})


def test_what_stands_in_a_file_s_place_is_said(tmp_path) -> None:
    loop = tmp_path / "loop.txt"
    loop.symlink_to(loop)
    for path, said in (
        (tmp_path, "this is a folder; name a file"),
        (loop, "this is a link that leads to no file"),
    ):
        with pytest.raises(InputError, match=said):
            files_of({"model": "bert", "text": str(path)})
        with pytest.raises(InputError, match=said):
            read_yaml(path)
        with pytest.raises(InputError, match=said):
            read_runs(path)
