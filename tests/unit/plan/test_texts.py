"""Files of corpora, texts and tasks, and the sentence about one that is not there."""

import pytest

from headwork.errors import InputError


def test_a_corpus_of_the_world_and_one_that_is_fetched(texts) -> None:
    world = "<results>/corpora/world/news"
    assert texts.corpus_files("world") == {
        "world": [f"{world}.conllu", f"{world}.karvan.txt"], "data": [], "fetched": [],
    }  # fmt: skip
    unpacked = "<results>/corpora/unpacked/archive"
    assert texts.corpus_files("real")["fetched"] == [f"{unpacked}/a.en", f"{unpacked}/a.de"]
    assert texts.other_sources("real") == ["<results>/corpora/world/train.source.txt"]
    assert texts.other_sources("world") == []


def test_a_corpus_of_distilled_text(texts, config, tmp_path) -> None:
    parts = [{"type": "distilled", "text": "en-de", "split": split} for split in ("dev", "train")]
    config["corpora"]["real"]["sources"] = parts
    folder = "<results>/corpora/distilled/en-de"
    assert texts.corpus_files("real")["distilled"] == [
        f"{folder}/dev.source.txt", f"{folder}/dev.target.txt",
        f"{folder}/train.source.txt", f"{folder}/train.target.txt",
    ]  # fmt: skip
    selection = {"sources": [{"path": "book.txt"}, {"path": "list"}], "test_sets": ["tested/*"]}
    config["distilled"] = {"en-de": {"selection": selection}}
    (tmp_path / "tested").mkdir()
    names = ("book.txt", "list.en", "tested/a.tsv")
    for name in names:
        (tmp_path / name).touch()
    assert texts.selected_from("en-de") == [str(tmp_path / name) for name in names]
    (tmp_path / "book.txt").unlink()
    with pytest.raises(InputError, match=r"^distilled text 'en-de': .*book\.txt.*`headwork data`"):
        texts.selected_from("en-de")


def test_a_file_that_the_data_folder_lacks(texts, config, tmp_path) -> None:
    with pytest.raises(InputError, match=r"no\.txt: the file does not exist, .*; `headwork data` lists all"):
        texts.data_file("no.txt")
    (tmp_path / "yes.txt.gz").touch()
    assert texts.data_file("yes.txt") == str(tmp_path / "yes.txt.gz")
    config["corpora"]["real"]["sources"] = [{"type": "local", "path": "europarl"}]
    with pytest.raises(InputError, match=r"^corpus 'real': .*europarl\.en.*`headwork data`"):
        texts.corpus_files("real")
    texts.data = None
    with pytest.raises(InputError, match="the data folder is not given"):
        texts.data_file("yes.txt")


def test_subwords_of_a_corpus_that_is_not_there(texts, config) -> None:
    config["corpora"]["real"]["subwords"]["sources_of"] = ["word"]
    with pytest.raises(InputError, match=r"`corpora\.real\.subwords\.sources_of`: there is no corpus 'word'"):
        texts.other_sources("real")


def test_tasks_of_the_world_fetched_ones_and_ones_of_the_data_folder(texts, config, tmp_path) -> None:
    tasks = config["tasks"]
    assert texts.world_tasks == ["rte"]
    world = "<results>/corpora/tasks/RTE"
    assert texts.task_files("tuned") == [f"{world}/train.tsv", f"{world}/dev.tsv"]
    assert texts.dev_files("tuned") == {"task": f"{world}/dev.tsv", "trees": f"{world}/dev.conllu"}
    fetched = texts.task_split(tasks["mrpc"], "dev")
    assert fetched == "<results>/corpora/unpacked/pairs/MRPC/dev.tsv"
    with pytest.raises(InputError, match=r"glue/RTE/dev\.tsv: the file does not exist.*`headwork data`"):
        texts.task_split(tasks["mine"], "dev")
    file = tmp_path / "glue/RTE/dev.tsv"
    file.parent.mkdir(parents=True)
    file.write_text("index\tsentence1\tsentence2\tlabel\n")
    assert texts.task_split(tasks["mine"], "dev") == str(file)
    file.write_text("index\tsentence1\tlabel\n")
    with pytest.raises(InputError, match="sentence2"):
        texts.task_split(tasks["mine"], "dev")
    tasks["rte"] = tasks["mrpc"]
    assert texts.dev_files("tuned")["trees"] == [], "no trees unless the settings name them"


def test_downloads_are_those_of_what_runs_need(texts, config) -> None:
    corpora, hub = "<results>/corpora/downloads", "<results>/hub/hub/model.safetensors"
    assert texts.addresses("corpora", "real") == {"archive": "https://example.org/news.tgz"}
    assert texts.from_the_net() == [f"{corpora}/archive/news.tgz", hub]
    config["tasks"]["rte"] = config["tasks"]["mrpc"]
    config["corpora"]["world"]["parser"] = "stanza"
    assert texts.from_the_net() == [
        f"{corpora}/archive/news.tgz",
        f"{corpora}/ids/dev_ids.tsv",  # with MRPC's pairs
        f"{corpora}/pairs/mrpc.txt",
        hub,
        "<results>/parses/parsers/stanza/resources.json",
    ]
