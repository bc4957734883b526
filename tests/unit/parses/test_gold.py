"""Gold trees looked up by the words of a line."""

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, read_trees, write_conllu
from headwork.parses.gold import gold_trees, write_gold
from headwork.run.frame import Files


def _tree(text, lemma):
    forms = enumerate(text.split(" "))
    return Sentence([Word(form, lemma, head=n, deprel="dep" if n else "root") for n, form in forms])


@pytest.fixture
def world(tmp_path):
    first, second = tmp_path / "news.conllu", tmp_path / "subtitles.conllu"
    news = [("The cat sleeps", "first"), ("a b", "x"), ("The cat sleeps", "later")]
    write_conllu(first, [_tree(*each) for each in news])
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\na stranger\n", r":2: no gold tree .*\(a stranger .*news\.conllu"),
        ("a  b\n", ":1: two spaces in a row"),
        ("a b\n\na b\n", ":2: an empty line"),
    ],
)
def test_a_line_without_a_tree_is_refused(world, tmp_path, text, message):
    (tmp_path / "test.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.txt" + message):
        list(gold_trees(tmp_path / "test.txt", world))
