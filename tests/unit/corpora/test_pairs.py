"""Line-aligned files become pairs, and files that are not aligned say so with both counts."""

import gzip

import pytest

from headwork.corpora.sources.pairs import aligned, from_table
from headwork.errors import InputError


def test_pairs_carry_file_and_line(tmp_path):
    (tmp_path / "a.en").write_text("one\ntwo\n")
    (tmp_path / "a.ru.gz").write_bytes(gzip.compress("раз\nдва\n".encode()))
    pairs = list(aligned(tmp_path / "a.en", tmp_path / "a.ru.gz"))
    assert pairs == [("one", "раз", tmp_path / "a.en", 1), ("two", "два", tmp_path / "a.en", 2)]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("1\n2\n3\n4\n", "1\n2\n", r"a\.en:3: nothing stands opposite: a\.en has 4 segments, a\.ru has 2;"),
        ("1\n2\n", "1\n2\n3\n", r"a\.ru:3: nothing stands opposite: a\.en has 2 segments, a\.ru has 3;"),
    ],
)
def test_unequal_line_counts(tmp_path, source, target, message):
    (tmp_path / "a.en").write_text(source)
    (tmp_path / "a.ru").write_text(target)
    with pytest.raises(InputError, match=message):
        list(aligned(tmp_path / "a.en", tmp_path / "a.ru"))


def test_table(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("7\tone\traz\n")
    assert list(from_table(path, {"source": 2, "target": 3})) == [("one", "raz", path, 1)]
