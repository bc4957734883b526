"""From a checkpoint, text, trees and counts to the three files; an untrained model has no function."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from safetensors.torch import save_file

from headwork.corpora.subwords import frequencies as counting
from headwork.corpora.subwords import learning as subwords
from headwork.errors import InputError
from headwork.head_atlas import texts
from headwork.heads.jobs.head_curve import measure_curve
from headwork.heads.jobs.translation_heads import measure_run
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import read_tokenizer, save
from headwork.parses.conllu import write_conllu
from headwork.run.frame import Files
from headwork.settings.heads import HeadSettings
from headwork.studies.tables import TABLES

TREES = [tree for tree in texts.world(2000, seed=1).trees if len(tree) < 10]
OBJECTS = Counter(
    word.head - place for tree in TREES for place, word in enumerate(tree.words, 1) if word.deprel == "obj"
)
SHAPE = {
    "family": "pegasus",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "heads": 4,
    "width": 32,
    "feed_forward": 32,
    "max_positions": 40,
}
SETTINGS = {
    "split": "test",
    "relations": {},
    "rare": {"not_among": 0.2},
    "examples": {"sentences": 3, "shortest": 4},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    write_conllu(folder / "trees.conllu", TREES)
    (folder / "source.txt").write_text("".join(f"{' '.join(tree.forms)}\n" for tree in TREES))
    (folder / "target.txt").write_text("".join(f"{' '.join(tree.forms[::-1])}\n" for tree in TREES))
    sides = {side: folder / f"{side}.txt" for side in ("source", "target")}
    tokenizer = subwords.learn(list(sides.values()), subwords.Subwords(vocabulary=200))
    subwords.save(tokenizer, folder / "tokenizer.json")
    counting.save(counting.frequencies(sides, tokenizer), folder / "frequencies.parquet")
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    save(folder / "model", build(SHAPE, tokenizer, seed=1), tokenizer)
    return folder


def inputs(folder):
    return {
        "model": folder / "model",
        "source": folder / "source.txt",
        "target": folder / "target.txt",
        "trees": folder / "trees.conllu",
        "frequencies": folder / "frequencies.parquet",
    }


def measured(folder, out, settings=SETTINGS, **replaced):
    files = Files(
        statistics=out / "run.parquet",
        functions=out / "run.functions.csv",
        examples=out / "run.examples.json",
    )
    measure_run(Files(**inputs(folder) | replaced), files, HeadSettings.read(settings, "heads"))
    return files


@pytest.fixture(scope="module")
def files(folder, tmp_path_factory):
    return measured(folder, tmp_path_factory.mktemp("heads"))


def test_a_curve_has_the_functions_after_each_snapshot_and_of_the_final_weights(folder, files, tmp_path):
    model = build(SHAPE, read_tokenizer(folder / "tokenizer.json"), seed=2)
    for step in (5, 20):
        (tmp_path / "snapshots" / str(step)).mkdir(parents=True)
        save_file(dict(model.named_parameters()), tmp_path / "snapshots" / str(step) / "model.safetensors")
    # Snakemake's mark in a folder that is an output
    (tmp_path / "snapshots" / ".snakemake_timestamp").touch()
    history = pd.DataFrame({"step": [0, 20, 30], "dev_loss": [4.0, 3.0, 2.5]})
    history.to_csv(tmp_path / "history.csv", index=False)
    made = {"history": tmp_path / "history.csv", "snapshots": tmp_path / "snapshots"}
    curve, settings = tmp_path / "curve.csv", HeadSettings.read(SETTINGS, "heads")
    measure_curve(Files(**inputs(folder), **made), Files(curve=curve), settings)
    table = TABLES["curve"].read_file(curve)
    assert table["step"].unique().tolist() == [5, 20, 30]
    of_step = {step: rows.drop(columns="step") for step, rows in table.groupby("step")}
    final = TABLES["functions"].read_file(files.functions)
    pd.testing.assert_frame_equal(of_step[30].reset_index(drop=True), final)
    pd.testing.assert_frame_equal(of_step[5].reset_index(drop=True), of_step[20].reset_index(drop=True))
    assert not np.allclose(of_step[5]["score"], final["score"])


def test_an_untrained_model_has_no_function(files):
    table = TABLES["functions"].read_file(files.functions)
    assert len(table) > 100
    assert not table["holds"].any()
    baselines = table.groupby("function")["baseline"].first()
    # the share of the most frequent distance between a verb and its object
    assert baselines["syntactic/obj/to-head"] == pytest.approx(max(OBJECTS.values()) / OBJECTS.total())
    assert 0 < baselines["rare"] < 0.5
    np.testing.assert_allclose(table["margin"], table["score"] - table["baseline"], atol=1e-5)


def test_examples_have_a_rare_token_and_every_encoder_head(files):
    table = TABLES["examples"].read_file(files.examples)
    assert len(table) == 3
    for example in table.itertuples():
        assert len(example.rare) >= 2  # the two rarest
        for weights in example.maps.values():
            np.testing.assert_allclose(np.sum(weights, axis=1), 1, atol=1e-3)


def test_examples_do_not_depend_on_the_model(folder, files, tmp_path):
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    save(tmp_path / "other", build(SHAPE, tokenizer, seed=2), tokenizer)
    other = measured(folder, tmp_path, model=tmp_path / "other")
    first, second = (json.loads(paths.examples.read_text()) for paths in (files, other))
    assert [example["sentence"] for example in first] == [example["sentence"] for example in second]
    assert first[0]["maps"] != second[0]["maps"]


def test_a_part_of_the_text(folder, tmp_path):
    paths = measured(folder, tmp_path, {**SETTINGS, "sentences": 50, "kinds": ["encoder"]})
    table = pd.read_parquet(paths.statistics)
    assert set(table["kind"]) == {"encoder"}
    objects = sum(word.deprel == "obj" for tree in TREES[:50] for word in tree.words)
    assert table[table["key"] == "obj/to-head"]["count"].eq(objects).all()


def test_over_long_pairs_are_left_out(folder, tmp_path, caplog):
    lines = (folder / "target.txt").read_text().splitlines()
    relations = [[word.deprel for word in tree.words] for tree in TREES]
    long = next(number for number, own in enumerate(relations) if "obj" in own)
    lines[long] = " ".join(["old"] * 60)
    target = tmp_path / "target.txt"
    target.write_text("\n".join(lines) + "\n")
    with caplog.at_level("INFO"):
        paths = measured(folder, tmp_path, target=target)
    assert "1 pairs left out: over 40 pieces" in caplog.text
    table = pd.read_parquet(paths.statistics)
    assert (
        table[table["key"] == "obj/to-head"]["count"].eq(OBJECTS.total() - relations[long].count("obj")).all()
    )


def test_sides_of_unequal_length(folder, tmp_path):
    target = tmp_path / "target.txt"
    target.write_text("".join((folder / "target.txt").read_text().splitlines(keepends=True)[:-3]))
    with pytest.raises(InputError, match=rf"has {len(TREES)} lines and .*target.txt has {len(TREES) - 3}"):
        measured(folder, tmp_path, target=target)
    assert [path.name for path in tmp_path.iterdir()] == ["target.txt"]


def test_counts_of_another_tokenizer(folder, tmp_path):
    table = pd.read_parquet(folder / "frequencies.parquet")
    table["type"] = "@" + table["type"]
    table.to_parquet(tmp_path / "frequencies.parquet")
    with pytest.raises(InputError, match="has no source token of the model's tokenizer"):
        measured(folder, tmp_path, frequencies=tmp_path / "frequencies.parquet")
