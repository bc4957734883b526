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
    description = {
        "source": "en",
        "target": "ru",
        "tokenisation": "moses",
        "cleaning": {"scripts": {"en": "Latin", "ru": "Cyrillic"}},
        "sources": [
            {"type": "local", "path": "parallel/en-ru/wmt_news/newstest2020", "split": "test"},
            {"type": "local", "path": "parallel/en-ru/wmt_news/newstest201[2-3]*", "split": "train"},
            {"type": "local", "path": "parallel/en-ru/tatoeba", "split": "train"},
            {"type": "local", "path": "parallel/en-ru/smartool"},
        ],
    }
    if not (real_data / "parallel" / "en-ru" / "wmt_news").is_dir():
        pytest.skip("no parallel/en-ru/wmt_news in the data folder")
    report = prepare(ParallelText.read(description, "corpus"), tmp_path, Places(data=real_data))
    counts = {(row.source.split("/")[2], row.reason): row.pairs for row in report.rows()}
    assert counts["wmt_news", "kept in test"] == 2002  # every line of newstest2020

    text = {
        name: (tmp_path / f"{name}.txt").read_text().split("\n")[:-1]
        for name in ("test.source", "test.reference")
    }
    original = real_data / "parallel" / "en-ru" / "wmt_news" / "newstest2020.ru.gz"
    with gzip.open(original, "rt", encoding="utf-8") as file:
        assert text["test.reference"] == [" ".join(line.split()) for line in file]
    held_out = {sentence.casefold() for sentence in text["test.source"]}
    for split in ("train", "dev"):
        sentences = {
            line.casefold() for line in (tmp_path / f"{split}.source.txt").read_text().split("\n")[:-1]
        }
        assert not sentences & held_out
        held_out |= sentences

    texts = {side: tmp_path / f"train.{side}.txt" for side in ("source", "target")}
    tokenizer = learn(list(texts.values()), Subwords(vocabulary=4000))
    for side in ("source", "target"):
        for line in (tmp_path / f"test.{side}.txt").read_text().split("\n")[:-1]:
            assert line == " ".join(line.split())
            known = "<unk>" not in tokenizer.encode(line).tokens
            assert not known or tokenizer.decode(tokenizer.encode(line).ids) == line
    pieces = frequencies(texts, tokenizer).query("side == 'source'").set_index("type")
    assert pieces.loc["the</w>", "rank"] < pieces.loc["government</w>", "rank"]
