"""A run of disabling: every head and layer, scores of the whole model's kind, changes with their intervals."""

import numpy as np
import pandas as pd
import pytest
import torch
from planted import planted_model, planted_task

from headwork.errors import InputError
from headwork.models.loading import hub
from headwork.pruning.jobs.disabling import WHOLE_LAYER, disable_run
from headwork.run.frame import Files
from headwork.settings.models import TaskSettings
from headwork.settings.pruning import DisablingSettings

TASK = TaskSettings(task="SST-2")
SETTINGS = {"longest": 16, "tokens": 60, "scoring": {"resamples": 50}}


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return planted_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def task_folder(tmp_path_factory):
    return planted_task(tmp_path_factory.mktemp("SST-2"))


def disabled(model_folder, task_folder, tmp_path, **changes):
    output = Files(table=tmp_path / "new" / "disabled.parquet")
    settings = DisablingSettings.read(SETTINGS | changes, "disabling")
    disable_run(Files(model=model_folder, task=task_folder), output, TASK, settings)
    return pd.read_parquet(output.table)


def test_the_head_that_does_it_is_found(model_folder, task_folder, tmp_path):
    table = disabled(model_folder, task_folder, tmp_path)
    assert len(table) == 2 * 2 * 3  # layers, ways, two heads and the whole layer
    assert table["n"].eq(20).all()
    assert table["metric"].eq("accuracy").all()
    silent = table[(table["layer"] == 2) | (table["head"] == 1)]
    assert silent[["value", "change", "low", "high"]].to_numpy().tolist() == [[1, 0, 0, 0]] * len(silent)
    zero = table[(table["layer"] == 1) & (table["method"] == "zero")].set_index("head")
    for head in (2, WHOLE_LAYER):
        assert zero.loc[head, "value"] == 0.5  # it always says the same
        assert zero.loc[head, "high"] < 0
    # attention of untrained queries is even already
    assert table[table["method"] == "uniform"]["change"].eq(0).all()


def test_the_order_of_batches_does_not_matter(model_folder, task_folder, tmp_path):
    found = [disabled(model_folder, task_folder, tmp_path, tokens=tokens) for tokens in (20, 1000)]
    pd.testing.assert_frame_equal(*found)


def test_the_whole_models_score_is_that_of_transformers(model_folder, task_folder, tmp_path):
    table = disabled(model_folder, task_folder, tmp_path)
    model, tokenizer = hub.load(model_folder)
    with torch.no_grad():
        said = [
            int(model(**tokenizer(line.split("\t")[0], return_tensors="pt")).logits.argmax())
            for line in (task_folder / "dev.tsv").read_text().splitlines()[1:]
        ]
    right = np.mean([said[number] == number % 2 for number in range(20)])
    assert (table["value"] - table["change"]).eq(right).all()


def test_senseless_settings(model_folder, task_folder, tmp_path):
    with pytest.raises(
        InputError, match="examples of 64 pieces for a model of 32 positions; lower `longest`"
    ):
        disabled(model_folder, task_folder, tmp_path, longest=64)
    assert not (tmp_path / "new").exists()
