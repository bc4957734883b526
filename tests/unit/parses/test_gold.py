"""Gold trees looked up by the words of a line."""

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, read_trees, write_conllu
from headwork.parses.gold import gold_trees, write_gold
from headwork.run.frame import Files


def _tree(text, lemma):
    words = [
        Word(form, lemma, head=place, deprel="dep" if place else "root")
        for place, form in enumerate(text.split(" "))
    ]
    return Sentence(words)


@pytest.fixture
def world(tmp_path):
    first, second = tmp_path / "news.conllu", tmp_path / "subtitles.conllu"
    write_conllu(
        first, [_tree("The cat sleeps", "first"), _tree("a b", "x"), _tree("The cat sleeps", "later")]
    )
    odd = _tree("10_000 cats", "odd")
    odd.words[0].form = "10 000"
    write_conllu(second, [_tree("the cat sleeps", "lower"), _tree("Bill may go", "may"), odd])
    return [first, second]


def test_lines_get_their_trees_in_their_order(world, tmp_path):
    text = tmp_path / "test.source.txt"
    text.write_text("a b\nThe cat sleeps\na b\nthe cat sleeps\nbill may go\n10000 cats\n", encoding="utf-8")
    write_gold(Files(text=text, annotated=world), Files(trees=tmp_path / "gold.conllu"))
    trees = list(read_trees(tmp_path / "gold.conllu"))
    assert [" ".join(tree.forms) for tree in trees] == text.read_text(encoding="utf-8").splitlines()
    assert [tree.words[0].lemma for tree in trees] == ["x", "first", "x", "lower", "may", "odd"]


def test_a_line_without_a_tree_is_refused(world, tmp_path):
    text = tmp_path / "test.source.txt"
    text.write_text("a b\na stranger\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.source\.txt:2: no gold tree .*\(a stranger .*news\.conllu"):
        list(gold_trees(text, world))
    text.write_text("a  b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.source\.txt:1: two spaces in a row"):
        list(gold_trees(text, world))
    text.write_text("a b\n\na b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.source\.txt:2: an empty line"):
        list(gold_trees(text, world))
