"""Sensitivity from a checkpoint and a text to a table."""

import pandas as pd
import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.relevance.jobs.sensitivity import SensitivityRunSettings, sensitivity_run
from headwork.settings.options import options

WORDS = ["the", "cat", "saw", "a", "dog", ".", "it"]


@pytest.fixture
def given(tmp_path):
    tokenizer = word_tokenizer(WORDS)
    save(tmp_path / "model", tiny_bert(tokenizer), tokenizer)
    (tmp_path / "test.txt").write_text("the cat saw a dog .\nit saw a cat .\n\n" * 6)
    return tmp_path / "model", tmp_path / "test.txt", {"segments": {"pieces": 16}}


def test_a_run(given, tmp_path):
    path = tmp_path / "out" / "sensitivity.parquet"
    sensitivity_run(*given, {"number": 4}, path)
    table = pd.read_parquet(path)
    assert set(table["key"]) == {"unmasked", "cls", "sep", "punctuation", "other"}
    assert (table[table["key"] == "unmasked"]["count"] == 4).all()
    assert (table["value"] >= 0).all()
    assert table["value"].sum() > 0
    before = path.read_bytes()
    sensitivity_run(*given, {"number": 4}, path)
    assert path.read_bytes() == before
    sensitivity_run(*given, {"number": 4, "seed": 1}, path)
    assert path.read_bytes() != before


def test_bad_input(given, tmp_path):
    model, text, _ = given
    with pytest.raises(InputError, match="longer than the model's 32 positions"):
        sensitivity_run(model, text, {"segments": {"pieces": 64}}, {}, tmp_path / "none.parquet")
    assert not (tmp_path / "none.parquet").exists()
    with pytest.raises(InputError, match="sensitivity: masking: unknown key 'shares'"):
        options(SensitivityRunSettings, {"masking": {"shares": 0.1}}, "sensitivity")
