"""A study's sweeps as tables, counted by hand."""

import json

import pandas as pd
import pytest

from headwork.errors import InputError
from headwork.pruning.tables import gather_sweeps, heads_table, runs_table
from headwork.run.frame import Files

# 2 + 2 encoder heads in two layers, 2 decoder and 2 cross heads in one
CONFIG = {
    "encoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_layers": 1,
    "decoder_attention_heads": 2,
}
BASELINE = {
    "run": "base",
    "domain": "news",
    "pair": "EN-RU",
    "label": "en-karvan",
    "trained": True,
    "method": "baseline",
    "gates": "encoder",
    "of": "",
    "seed": 1,
    "penalty": 0.0,
    "target": None,
}
ENCODER = BASELINE | {"run": "some", "method": "gates", "gates": "encoder", "of": "base", "target": 1}
ALL = BASELINE | {"run": "few", "method": "gates", "gates": "all", "of": "base", "penalty": 0.02, "seed": 2}
SCRATCH = ALL | {"run": "new", "method": "scratch", "of": "few", "penalty": 0.0, "seed": 3}
RUNS_OF_THE_SWEEP = [BASELINE, ENCODER, ALL, SCRATCH]

IN_ENCODER = {("encoder", 1): [0, 0], ("encoder", 2): [0, 1]}
EVERYWHERE = {("encoder", 1): [1, 0], ("encoder", 2): [0, 0], ("decoder", 1): [0, 0], ("cross", 1): [1, 1]}


def write_gates(folder, kept):
    rows = [(*site, head, gate) for site, gates in kept.items() for head, gate in enumerate(gates, start=1)]
    # highest head first: the order of rows says nothing
    pd.DataFrame(rows[::-1], columns=["kind", "layer", "head", "kept"]).to_csv(
        folder / "gates.csv", index=False
    )


@pytest.fixture
def models(tmp_path):
    """The folder of each run, with what the tables are made of."""
    folders = {run["run"]: tmp_path / "models" / run["run"] for run in RUNS_OF_THE_SWEEP}
    for number, folder in enumerate(folders.values()):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "run.json").write_text(json.dumps({"parameters": 1000}))
        scores = {"bleu": 30.0 - number, "low": 29.0 - number, "high": 31.0 - number, "signature": "s"}
        (folder / "scores.json").write_text(json.dumps({"test": scores}))
    write_gates(folders["some"], IN_ENCODER)
    write_gates(folders["few"], EVERYWHERE)
    write_gates(folders["new"], EVERYWHERE)
    return folders


@pytest.fixture
def smaller(tmp_path):
    """The folder of one run whose closed heads were removed and which was timed."""
    folder = tmp_path / "pruning" / "few"
    folder.mkdir(parents=True)
    (folder / "removal.json").write_text(json.dumps({"parameters": {"before": 1000, "after": 700}}))
    speed = {"whole": 100.0, "smaller": 130.0}
    (folder / "speed.json").write_text(json.dumps({"sentences_per_second": speed, "ratio": 1.3}))
    return {"few": folder}


def test_heads_of_every_run_kind_and_layer(models):
    table = heads_table(RUNS_OF_THE_SWEEP, models)
    assert table["heads"].tolist() == [2] * 16
    kept = {run: rows["kept"].tolist() for run, rows in table.groupby("run", sort=False)}
    # encoder 1, encoder 2, decoder 1, cross 1; without gates all are kept
    assert kept == {"base": [2, 2, 2, 2], "some": [0, 1, 2, 2], "few": [1, 0, 0, 2], "new": [1, 0, 0, 2]}
    sites = table[table["run"] == "few"][["kind", "layer"]].to_numpy().tolist()
    assert sites == [["encoder", 1], ["encoder", 2], ["decoder", 1], ["cross", 1]]


def test_the_baseline_of_two_sweeps_is_counted_once(models):
    runs = [*RUNS_OF_THE_SWEEP, BASELINE | {"gates": "all"}]
    assert heads_table(runs, models).equals(heads_table(RUNS_OF_THE_SWEEP, models))


def test_what_was_not_measured_is_empty(models, smaller):
    table = runs_table(RUNS_OF_THE_SWEEP, heads_table(RUNS_OF_THE_SWEEP, models), models, smaller)
    table = table.set_index("run")
    assert table["parameters"].dropna().to_dict() == {"base": 1000, "few": 700}
    assert table["parameters_full"].dropna().to_dict() == {"base": 1000, "few": 1000}
    assert table["sentences_per_second"].dropna().to_dict() == {"few": 130}
    assert table["sentences_per_second_full"].dropna().to_dict() == {"few": 100}


def test_whole_numbers_are_written_as_such(models, smaller, tmp_path):
    scores = [folder / "scores.json" for folder in models.values()]
    removal = [folder / "removal.json" for folder in smaller.values()]
    output = Files(runs=tmp_path / "runs.csv", heads=tmp_path / "heads.csv")
    gather_sweeps(Files(scores=scores, removal=removal), output, RUNS_OF_THE_SWEEP)
    lines = output.runs.read_text().splitlines()
    assert lines[2] == "some,news,EN-RU,gates,encoder,base,1,0,1,8,5,29,28,30,,,,"
    assert lines[3].endswith(",8,3,28,27,29,700,1000,130,100")
    assert len(output.heads.read_text().splitlines()) == 1 + 16


def test_a_baseline_keeps_all_its_heads_whatever_lies_beside_it(models):
    write_gates(models["base"], IN_ENCODER)
    assert heads_table([BASELINE], models)["kept"].tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("gates", "message"),
    [
        ({("encoder", 1): [1, 0, 1]}, "gates of 3 heads for encoder 1, which has 2; train the run again"),
        ({("encoder", 3): [1, 0]}, "gates of 2 heads for encoder 3, which has 0"),
    ],
)
def test_gates_of_another_model(models, gates, message):
    write_gates(models["some"], gates)
    with pytest.raises(InputError, match=rf"some/gates\.csv: {message}"):
        heads_table([ENCODER], models)


def test_a_model_that_does_not_translate(models):
    (models["base"] / "config.json").write_text(json.dumps({"num_attention_heads": 2}))
    with pytest.raises(InputError, match=r"config\.json: the file is not the config of a translation model"):
        heads_table([BASELINE], models)
