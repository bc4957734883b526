"""Counts and ranks of pieces, against counts made by encoding every line."""

from collections import Counter

import pandas as pd
import pytest

from headwork.corpora.subwords.frequencies import frequencies, save
from headwork.corpora.subwords.learning import learn
from headwork.settings.corpora import Subwords


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "source").write_text("a b a\n\nb abba c\n")
    (tmp_path / "target").write_text("x xx\nx A\n")
    return {"source": tmp_path / "source", "target": tmp_path / "target"}


@pytest.mark.parametrize("lowercase", [False, True])
def test_pieces_are_those_of_the_lines(texts, lowercase):
    tokenizer = learn(list(texts.values()), Subwords(vocabulary=20, lowercase=lowercase))
    table = frequencies(texts, tokenizer)
    assert table.columns.tolist() == ["side", "type", "count", "rank"]
    for side, path in texts.items():
        counted = Counter()
        for line in path.read_text().splitlines():
            counted.update(tokenizer.encode(line, add_special_tokens=False).tokens)
        found = table[table["side"] == side]
        assert dict(zip(found["type"], found["count"], strict=True)) == counted
        for row in found.itertuples():
            assert row.rank == 1 + sum(count > row.count for count in counted.values())


def test_same_bytes_each_time(texts, tmp_path):
    tokenizer = learn(list(texts.values()), Subwords(vocabulary=40))
    for name in ("a.parquet", "b.parquet"):
        save(frequencies(texts, tokenizer), tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), frequencies(texts, tokenizer))
