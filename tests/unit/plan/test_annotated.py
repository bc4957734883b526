"""Files of trees, alignments, labels and senses."""

import pytest

from headwork.errors import InputError

PARSERS = "<results>/parses/parsers"


def test_trees_are_gold_or_parsed(annotated) -> None:
    assert annotated.trees("real", "test") == "<results>/parses/real/test.gold.conllu"
    assert annotated.trees("world", "test") == "<results>/parses/world/test.stanza.conllu"
    assert annotated.scored() == ["world"], "gold trees and a parser's"
    assert annotated.parsed_texts("trained") == ["<results>/corpora/world/test.source.txt"]


def test_parsers_are_trained_or_published_or_lie_in_a_folder(annotated, config, tmp_path) -> None:
    corpus = config["corpora"]["world"]
    assert annotated.parser_files("world") == [f"{PARSERS}/trained/tagger.pt", f"{PARSERS}/trained/parser.pt"]
    corpus["parser"] = "stanza"
    assert annotated.parser_files("world") == f"{PARSERS}/stanza/resources.json"
    corpus["parser"], config["parsers"]["local"]["folder"] = "local", str(tmp_path)
    assert annotated.parser_files("world") == [f"{tmp_path}/tagger.pt", f"{tmp_path}/parser.pt"]
    (tmp_path / "resources.json").touch()
    assert annotated.parser_files("world") == f"{tmp_path}/resources.json"


def test_treebanks(annotated, tmp_path) -> None:
    assert annotated.treebank_files("trained")["train"] == [
        "<results>/corpora/world/news.conllu", "<results>/corpora/world/subtitles.conllu",
    ]  # fmt: skip
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").touch()
    assert annotated.treebank_files("local") == {
        "train": [str(tmp_path / "a.conllu")], "dev": [str(tmp_path / "b.conllu")],
    }  # fmt: skip
    assert annotated.treebank("bert")["dev"] == "<results>/parses/treebanks/trained/dev.conllu"
    assert annotated.probed_trees("real") == {
        f"{part}_trees": f"<results>/parses/real/{part}.gold.conllu" for part in ("train", "dev")
    }


def test_gold_alignments(annotated, config, tmp_path) -> None:
    world, test = "<results>/corpora/world/news", "<results>/corpora/world/test"
    assert annotated.alignments("world") == {
        "source": f"{test}.source.txt", "target": f"{test}.target.txt", "world_source": f"{world}.conllu",
        "world_target": f"{world}.karvan.txt", "links": f"{world}.karvan.align",
    }  # fmt: skip
    for name in ("gold.txt", "gold.links"):
        (tmp_path / name).touch()
    assert set(annotated.alignments("real")) == {"text", "links"}
    del config["corpora"]["real"]["alignments"]["text"]
    assert set(annotated.alignments("real")) == {"source", "target", "links"}, "of the test set"


def test_labels_have_files_of_their_own_or_stand_in_trees(annotated, tmp_path) -> None:
    for name in ("t.conll", "u.conll"):
        (tmp_path / name).touch()
    trees = annotated.treebank("bert")
    assert list(annotated.probing_tasks("tags")) == ["pos", "chunks"]
    assert annotated.labelled("bert", "tags") == {
        "train": [trees["train"], str(tmp_path / "t.conll")], "test": [trees["dev"], str(tmp_path / "u.conll")],
    }  # fmt: skip
    assert annotated.labelled("bert", "edge_probes") == {"train": [trees["train"]], "test": [trees["dev"]]}


def test_mentions_and_senses(annotated, config, tmp_path) -> None:
    (tmp_path / "mentions.conllu").touch()
    words = annotated.word_files("bert")
    assert (words["mentions"], words["held_out"]) == ([str(tmp_path / "mentions.conllu")], [])
    held_out = "<results>/corpora/pages/test.txt"
    assert annotated.sense_files("bert") == {
        "senses": ["<results>/corpora/world/subtitles.conllu"], "gold": [], "held_out": held_out,
    }  # fmt: skip
    local = [{"type": "local", "path": "train.data.xml", "split": "train"}]
    config["texts"]["pages"]["senses"] = local
    for name in ("train.data.xml", "train.gold.key.txt"):
        (tmp_path / name).touch()
    assert annotated.sense_files("bert")["gold"] == [str(tmp_path / "train.gold.key.txt")]
    assert annotated.sense_settings("bert") == [{"keys": True, "split": "train"}]
    config["texts"]["pages"]["senses"] = None
    with pytest.raises(InputError, match="text 'pages' has no `senses`"):
        annotated.sense_sources("bert")
    for key, files in (("mentions", annotated.word_files), ("treebank", annotated.treebank)):
        del config["texts"]["pages"][key]
        with pytest.raises(
            InputError, match=f"text 'pages' has no `{key}`; name annotated text, or ask for items"
        ):
            files("bert")
