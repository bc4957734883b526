"""What a text may be, and what bad ones are answered with."""

import pytest

from headwork.errors import InputError
from headwork.head_atlas import texts
from headwork.parses.conllu import write_conllu


@pytest.fixture
def write(tmp_path):
    def write(content, name="text.txt"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def test_a_long_text_is_sampled_in_order_and_said_so(write):
    path = write("".join(f"line {number}\n" for number in range(100_000)))
    found = texts.of_text(path, None, 500, seed=0)
    numbers = [int(line.split()[1]) for line in found.lines]
    assert len(numbers) == 500
    assert numbers == sorted(numbers)
    assert max(numbers) > 90_000
    assert found.notes == ("A random sample of 500 of 100,000 sentences was measured.",)
    assert texts.of_text(path, None, 500, seed=0).lines == found.lines


def test_trees_are_read_from_conllu_and_checked_against_the_text(write, tmp_path):
    own = texts.world(5, seed=1)
    trees = tmp_path / "trees.conllu"
    write_conllu(trees, own.trees)
    assert texts.of_text(trees, None, 10, 0).trees is not None
    same = write("\n".join(own.lines) + "\n")
    assert texts.of_text(same, str(trees), 10, 0).lines == list(own.lines)
    other = write("another line\n" + "\n".join(own.lines[1:]) + "\n", "other.txt")
    with pytest.raises(InputError, match=r"trees\.conllu: a tree is of .* parse this text again"):
        texts.of_text(other, str(trees), 10, 0)


@pytest.mark.parametrize("content", ["word\n", "\n\n \n"])
def test_a_text_without_a_sentence_is_refused(write, content):
    with pytest.raises(InputError, match=r"text\.txt: there is no sentence of two words"):
        texts.of_text(write(content), None, 500, 0)


def test_sides_of_a_pair_have_as_many_lines(write):
    with pytest.raises(InputError, match=r"has 2 lines and .* has 1"):
        texts.of_pair(write("a b\nc d\n"), write("a b\n", "target.txt"), None, 500, 0)


def test_trees_of_a_pair_are_those_of_its_source(write, tmp_path):
    own, trees = texts.world(4, seed=1), tmp_path / "trees.conllu"
    write_conllu(trees, own.trees)
    source = write("\n".join([*own.lines[:2], "", *own.lines[2:]]) + "\n")
    target = write("one a\n\nempty source\nthree c\nfour d\n", "target.txt")
    found = texts.of_pair(source, target, str(trees), 10, 0)
    assert list(found.targets) == ["one a", "three c", "four d"]
    assert [" ".join(tree.forms) for tree in found.trees] == list(found.lines)
    write_conllu(trees, own.trees[:2])
    with pytest.raises(InputError, match=r"trees\.conllu: there are fewer trees than lines of"):
        texts.of_pair(source, target, str(trees), 10, 0)


def test_a_task_is_named_by_any_case_and_must_have_classes(write, tmp_path):
    write("sentence\tlabel\na good film\t1\na bad film\t0\n", "dev.tsv")
    found = texts.of_task("sst-2", tmp_path, 500, 0)
    assert [each.label for each in found.examples] == ["positive", "negative"]
    with pytest.raises(InputError, match="did you mean 'sst-2'"):
        texts.of_task("sst2", tmp_path, 500, 0)
    with pytest.raises(InputError, match="regression"):
        texts.of_task("sts-b", tmp_path, 500, 0)
