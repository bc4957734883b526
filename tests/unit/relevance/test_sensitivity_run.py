"""Sensitivity from a checkpoint and a text to a table."""

import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.relevance.jobs.sensitivity import sensitivity_run
from headwork.run.frame import Files
from headwork.settings.heads import SegmentRunSettings
from headwork.settings.relevance import SensitivitySettings

SEGMENTS = SegmentRunSettings.read({"segments": {"pieces": 16}}, "segments")
WORDS = ["the", "cat", "saw", "a", "dog", ".", "it"]


@pytest.fixture
def given(tmp_path):
    tokenizer = word_tokenizer(WORDS)
    save(tmp_path / "model", tiny_bert(tokenizer), tokenizer)
    (tmp_path / "test.txt").write_text("the cat saw a dog .\nit saw a cat .\n\n" * 6)
    return Files(model=tmp_path / "model", text=tmp_path / "test.txt")


def test_a_run(given, tmp_path):
    path = tmp_path / "out" / "sensitivity.parquet"

    def run(**settings):
        sensitivity_run(given, Files(table=path), SEGMENTS, SensitivitySettings(number=4, **settings))
        return path.read_bytes()

    before = run()
    assert run() == before
    assert run(seed=1) != before


def test_bad_input(given, tmp_path):
    output = Files(table=tmp_path / "none.parquet")
    longer = SegmentRunSettings.read({"segments": {"pieces": 64}}, "segments")
    with pytest.raises(InputError, match="longer than the model's 32 positions"):
        sensitivity_run(given, output, longer, SensitivitySettings())
    assert not output.table.exists()
