"""Segments of a text through a tiny masked language model: the batches, the switches, the two tables, bad input."""

import numpy as np
import pandas as pd
import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.corpora.running_text.segments import Segment
from headwork.corpora.subwords import frequencies
from headwork.errors import InputError
from headwork.heads.jobs.segment_heads import batches_of_text, measure_segments, segment_batches
from headwork.models.loading.checkpoints import save
from headwork.run.frame import Files
from headwork.settings.heads import SegmentRunSettings

WORDS = ["the", "cat", "saw", "a", "dog", ",", "and", "it", "slept", ".", "we", "know", "that"]
TEXT = "the cat saw a dog .\nit slept , and we know that .\n\nwe saw that dog .\nthe cat slept .\na dog saw it .\n\n"
SETTINGS = {"segments": {"pieces": 16}, "tokens": 40}


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer(WORDS)


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny_bert(tokenizer)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "test.txt"
    path.write_text(TEXT * 3)
    return path


def test_batches_of_segments(tokenizer):
    segments = [Segment([5, 6, 7], [8, 9]), Segment([10], [11])]
    (batch,) = segment_batches(segments, tokenizer)
    assert batch.inputs["input_ids"].tolist() == [[2, 10, 3, 11, 3, 0, 0, 0], [2, 5, 6, 7, 3, 8, 9, 3]]
    assert batch.inputs["token_type_ids"].tolist() == [[0, 0, 0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 1, 1]]
    side = batch.queries["encoder"]
    assert side.words.tolist() == [[-1, 0, -1, 1, -1, -1, -1, -1], [-1, 0, 1, 2, -1, 3, 4, -1]]
    assert side.present.sum(1).tolist() == [5, 8]
    assert batch.keys["encoder"] is side
    apart = segment_batches(segments, tokenizer, tokens=8)
    assert [each.inputs["input_ids"].shape for each in apart] == [(1, 5), (1, 8)]
    assert not segment_batches(segments, tokenizer, "zeros")[0].inputs["token_type_ids"].any()
    assert "token_type_ids" not in segment_batches(segments, tokenizer, "none")[0].inputs


def test_the_number_of_segments_and_their_seed(tokenizer, text):
    def ids(**settings):
        chosen = SegmentRunSettings.read({**SETTINGS, **settings}, "segments")
        batches = batches_of_text(text, tokenizer, chosen)
        return [row.tolist() for batch in batches for row in batch.inputs["input_ids"]]

    assert len(ids(number=2)) == 2
    assert ids() == ids()
    assert ids() != ids(seed=1)


ENDINGS = {
    "statistics": "parquet",
    "chance": "csv",
    "correlations": "csv",
    "tokens": "parquet",
    "pairs": "csv",
    "examples": "json",
}


def outputs(folder):
    return Files(**{name: folder / name / f"run.{ending}" for name, ending in ENDINGS.items()})


def run(model, text, counts, paths, settings=SETTINGS):
    given = Files(model=model, text=text, frequencies=counts)
    measure_segments(given, paths, SegmentRunSettings.read(settings, "segments"))


@pytest.fixture
def counts(tokenizer, text, tmp_path):
    path = tmp_path / "frequencies.parquet"
    frequencies.save(frequencies.frequencies({"source": text}, tokenizer.backend_tokenizer), path)
    return path


def test_untrained_heads_attend_nearly_evenly(model, tokenizer, text, counts, tmp_path):
    save(tmp_path / "model", model, tokenizer)
    paths = outputs(tmp_path)
    run(tmp_path / "model", text, counts, paths)
    table, chance = pd.read_parquet(paths.statistics), pd.read_csv(paths.chance)
    even = chance.set_index("key")["value"]
    found = table[table["statistic"].isin(["attention", "entropy"])]
    for row in found.itertuples():
        expected = even["entropy"] if row.statistic == "entropy" else even[row.key]
        assert row.value == pytest.approx(expected, abs=0.02), row
    lengths = [
        int(length)
        for batch in batches_of_text(text, tokenizer, SegmentRunSettings.read(SETTINGS, "segments"))
        for length in batch.queries["encoder"].present.sum(1)
    ]
    assert even["entropy"] == pytest.approx(np.log(lengths).mean(), abs=1e-4)


def test_a_masked_word_head_is_not_needed(model, tokenizer, text, counts, tmp_path):
    found = []
    for name, saved in {"whole": model, "encoder": model.bert}.items():
        save(tmp_path / name, saved, tokenizer)
        paths = outputs(tmp_path / f"{name}-tables")
        run(tmp_path / name, text, counts, paths)
        found.append([path.read_bytes() for path in vars(paths).values()])
    assert found[0] == found[1]


def test_segments_longer_than_the_positions(model, tokenizer, text, counts, tmp_path):
    save(tmp_path / "model", model, tokenizer)
    out = outputs(tmp_path)
    with pytest.raises(InputError, match="segments of 128 pieces are longer than the model's 32 positions"):
        run(tmp_path / "model", text, counts, out, {})
    assert not any(path.exists() for path in vars(out).values())


def test_text_without_segments(tokenizer, tmp_path):
    path = tmp_path / "test.txt"
    path.write_text("cat\n")
    with pytest.raises(InputError, match=r"test\.txt: no segment of two parts"):
        batches_of_text(path, tokenizer)
