"""Real English and Russian, where there is some: compressed files, stems with dots, a standard test set."""

import gzip

import pytest

from headwork.corpora.parallel.prepare import prepare
from headwork.corpora.sources.locations import Places
from headwork.corpora.subwords.frequencies import frequencies
from headwork.corpora.subwords.learning import learn
from headwork.settings.corpora import ParallelText, Subwords


@pytest.mark.slow
def test_en_ru(real_data, tmp_path):
    news = "parallel/en-ru/wmt_news"
    description = {
        "source": "en",
        "target": "ru",
        "tokenisation": "moses",
        "cleaning": {"scripts": {"en": "Latin", "ru": "Cyrillic"}},
        "sources": [
            {"type": "local", "path": f"{news}/generaltest2024", "split": "test"},
            {"type": "local", "path": f"{news}/newstest2020.r*", "split": "train"},
            {"type": "local", "path": "parallel/en-ru/smartool"},
        ],
    }
    if not (real_data / news).is_dir():
        pytest.skip("no parallel/en-ru/wmt_news in the data folder")
    report = prepare(ParallelText.read(description, "corpus"), tmp_path, Places(data=real_data))
    counts = {(row.source.split("/")[2], row.reason): row.pairs for row in report.rows()}
    assert counts["wmt_news", "kept in test"] == 998  # every line of generaltest2024

    def lines(name):
        return (tmp_path / f"{name}.txt").read_text().split("\n")[:-1]

    with gzip.open(real_data / f"{news}/generaltest2024.ru.gz", "rt", encoding="utf-8") as file:
        assert lines("test.reference") == [" ".join(line.split()) for line in file]
    held_out = {sentence.casefold() for sentence in lines("test.source")}
    for split in ("train", "dev"):
        sentences = {line.casefold() for line in lines(f"{split}.source")}
        assert not sentences & held_out
        held_out |= sentences

    texts = {side: tmp_path / f"train.{side}.txt" for side in ("source", "target")}
    tokenizer = learn(list(texts.values()), Subwords(vocabulary=2000))
    for line in lines("test.source") + lines("test.target"):
        assert line == " ".join(line.split())
        encoding = tokenizer.encode(line)
        assert "<unk>" in encoding.tokens or tokenizer.decode(encoding.ids) == line
    pieces = frequencies(texts, tokenizer).query("side == 'source'").set_index("type")
    assert pieces.loc["the</w>", "rank"] < pieces.loc["people</w>", "rank"]
