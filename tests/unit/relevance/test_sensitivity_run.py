"""Sensitivity from a checkpoint and a text to a table."""

import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from headwork.errors import InputError
from headwork.models.checkpoints import save
from headwork.relevance.sensitivity_run import SensitivityRunSettings, sensitivity_run

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "saw", "a", "dog", ".", "it"]


@pytest.fixture
def given(tmp_path):
    backend = Tokenizer(WordLevel({piece: number for number, piece in enumerate(PIECES)}, "[UNK]"))
    backend.pre_tokenizer = WhitespaceSplit()
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(PIECES),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **names)
    save(tmp_path / "model", BertForMaskedLM(config).eval(), tokenizer)
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
        SensitivityRunSettings.of({"masking": {"shares": 0.1}})
