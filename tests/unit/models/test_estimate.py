"""The estimate of a scale: its formula, models that were made, and the anchor it is calibrated on."""

import pytest
import toy_corpus
import yaml
from toy_text import tokenizer_of, write_paragraphs

from headwork.models.architectures.build import build
from headwork.models.jobs.estimate import TERAFLOPS, downloads, estimate, layers, parameters, work
from headwork.settings.run_sheets import read_sheets

ROW = {
    "run": "a",
    "study": "s",
    "corpus": "c",
    "objective": "translation",
    "architecture": "t",
    "recipe": "r",
}
CONFIG = {
    "architectures": {
        "t": {
            "family": "pegasus", "encoder_layers": 2, "decoder_layers": 1, "heads": 2, "width": 8, "feed_forward": 16,
            "max_positions": 32,
        },
        "bert": {"model": "google-bert/bert-base-uncased"},
    },
    "recipes": {
        "r": {"steps": 10, "tokens_per_batch": 100, "accumulation": 2},
        "task": {"epochs": 3, "longest": 128},
        "none": {"steps": 0},
    },
    "downloads": {"x": {"bytes": 5_000_000_000}, "y": {}},
    "corpora": {
        "c": {
            "sources": [{"download": {"source": "x", "target": "y"}}], "subwords": {"vocabulary": 100}, "limit": 1000,
        }
    },
    "texts": {"w": {"sources": [], "subwords": {"vocabulary": 30522}}},
    "tasks": {"mnli": {"task": "MNLI", "download": "x"}},
}  # fmt: skip
MNLI = ROW | {"objective": "classification", "corpus": "mnli", "architecture": "bert", "recipe": "task"}


def test_the_formula_by_hand():
    encoder, decoder = 2 * (4 * 64 + 2 * 8 * 16), 8 * 64 + 2 * 8 * 16
    assert layers(CONFIG["architectures"]["t"]) == (encoder, decoder, 8)
    assert parameters(ROW, CONFIG) == encoder + decoder + 800
    assert work(ROW, CONFIG) == 6 * (encoder + decoder + 800) * 10 * 100 * 2
    assert work(ROW | {"recipe": "none"}, CONFIG) == 0


def test_what_it_is_calibrated_on():
    """2 h 35 min in fp32 on a Titan RTX; half precision takes half of it."""
    hours = work(MNLI, CONFIG) / (TERAFLOPS * 1e12 * 3600)
    assert hours == pytest.approx((2 + 35 / 60 + 23 / 3600) / 2, rel=0.01)


@pytest.mark.parametrize("architecture", ["miniature", "bert"])
def test_weights_of_models_that_are_built(architecture, root, tmp_path):
    """Within five per cent: biases, normalisation, positions and the dense layer before the vocabulary are left out."""
    config = yaml.safe_load((root / "config/config.yaml").read_text())
    if architecture == "bert":
        kind, corpus, objective = "texts", "paragraphs", "mlm"
        tokenizer = tokenizer_of(write_paragraphs(tmp_path, {}))
    else:
        kind, corpus, objective = "corpora", "news-karvan", "translation"
        tokenizer = toy_corpus.tokenizer_of(toy_corpus.write_corpus(tmp_path / "corpus", {}))
    config[kind][corpus]["subwords"]["vocabulary"] = len(tokenizer)
    model = build(config["architectures"][architecture], tokenizer, 1)
    made = sum(weight.numel() for name, weight in model.named_parameters() if "position" not in name)
    row = ROW | {"corpus": corpus, "objective": objective, "architecture": architecture}
    assert parameters(row, config) == pytest.approx(made, rel=0.05)


def test_a_table_by_study():
    sheet = [ROW, ROW | {"run": "b"}, MNLI | {"run": "c", "study": "glue"}]
    table = estimate(sheet, CONFIG, {"s": 3}, teraflops=1e-9).set_index("study")
    assert list(table.index) == ["s", "glue", "all"]
    assert list(table["runs"]) == [2, 1, 3]
    assert list(table["jobs"]) == [4 + 3, 2, 6 + 3]
    assert table.loc["s", "gpu_hours"] == pytest.approx(2 * work(ROW, CONFIG) / 1e3 / 3600, abs=0.1)
    assert (table.loc["all", "downloads_gb"], table.loc["all", "unknown"]) == (5.0, 1)
    assert table.loc["glue", "models_gb"] == pytest.approx(4 * (12 * 7077888 + 768 * 30522) / 1e9, abs=0.06)
    faster = estimate(sheet, CONFIG, {}, teraflops=2e-9).set_index("study")
    assert faster.loc["all", "gpu_hours"] == pytest.approx(table.loc["all", "gpu_hours"] / 2, rel=1e-3)


def test_downloads_are_found_wherever_they_are_named():
    part = {"sources": [{"download": {"source": "a", "target": "b"}, "overlap": {"ids": {"download": "c"}}}]}
    assert downloads(part | {"dev_ids": "d", "path": "e"}) == {"a", "b", "c", "d"}


def test_the_sheet_of_the_paper_scale(root):
    """About five hundred hours of an old card; nothing in it is free that trains, and nothing costs that does not."""
    config = yaml.safe_load((root / "config/paper.yaml").read_text())
    runs = read_sheets({"studies": "paper"}, root)
    table = estimate(runs.to_dict("records"), config, {}).set_index("study")
    assert 300 < table.loc["all", "gpu_hours"] < 800
    for row in runs.to_dict("records"):
        free = row["recipe"] in ("untrained", "as-published", "masked-untrained")
        assert (work(row, config) == 0) == free, row["run"]
