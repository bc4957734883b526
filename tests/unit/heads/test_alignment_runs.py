"""Alignments of a translation model, and of statistical aligners, from files to tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hand_made import ending_tokenizer

from headwork.corpora.annotated.alignments import gold_pairs
from headwork.errors import InputError
from headwork.heads.jobs.aligners import aligner_run
from headwork.heads.jobs.alignments import align_run
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import save
from headwork.run.frame import Files
from headwork.settings.heads import AlignmentSettings

SOURCE = ["ant", "bee", "cat", "dog", "elk", "fox"]
TARGET = ["A", "B", "C", "D", "E", "F"]
LOCAL = {"type": "local"}
SHAPE = {
    "family": "pegasus",
    "encoder_layers": 1,
    "decoder_layers": 2,
    "heads": 2,
    "width": 16,
    "feed_forward": 16,
    "max_positions": 12,
}


@pytest.fixture
def files(tmp_path):
    """A dictionary's sentences in reversed order, and which words stand for each other."""
    chance = np.random.default_rng(0)
    sentences = [chance.permutation(6)[: chance.integers(2, 6)].tolist() for _ in range(40)]
    texts = {
        "source": [" ".join(SOURCE[word] for word in each) for each in sentences],
        "target": [" ".join(TARGET[word] for word in reversed(each)) for each in sentences],
        "links": [" ".join(f"{n}-{len(each) - 1 - n}" for n in range(len(each))) for each in sentences],
    }
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return {name: str(tmp_path / f"{name}.txt") for name in texts}


@pytest.fixture
def model_folder(tmp_path):
    tokenizer = ending_tokenizer([*SOURCE, *TARGET])
    save(tmp_path / "model", build(SHAPE, tokenizer, 1), tokenizer)
    return tmp_path / "model"


def test_no_pair_fits_the_model(files, model_folder, tmp_path):
    source = Path(files["source"])
    source.write_text("".join(line + " ant" * 12 + "\n" for line in source.read_text().splitlines()))
    outputs = Files(**{name: tmp_path / name for name in ("alignments", "norms", "example")})
    with pytest.raises(InputError, match="no pair of sentences has at most 12 pieces a side"):
        align_run(Files(**files, model=model_folder), outputs, LOCAL, AlignmentSettings())
    assert not any(path.exists() for path in vars(outputs).values())


def test_aligners_learn_a_dictionary(files, tmp_path):
    aligners = [{"model": "ibm1", "joined": "intersection"}, {"model": "fast_align", "iterations": 1}]
    given = Files(**files, train_source=files["source"], train_target=files["target"])
    aligner_run(given, Files(table=tmp_path / "aligners.csv"), LOCAL, 10, aligners)
    table = pd.read_csv(tmp_path / "aligners.csv")
    assert table["model"].tolist() == ["ibm1", "fast_align"]
    assert (table["n"] == 10).all()
    assert table["aer"].iloc[0] < 0.05
    with pytest.raises(InputError, match="aligner 1: unknown key 'modle'"):
        aligner_run(given, Files(table=tmp_path / "none.csv"), LOCAL, None, [{"modle": "ibm1"}])
    assert not (tmp_path / "none.csv").exists()


def test_gold_pairs_of_the_world_are_found_by_their_words(files, tmp_path):
    files |= {"world_source": files["source"], "world_target": files["target"]}
    lines = {name: Path(files[name]).read_text().splitlines() for name in ("source", "target")}
    for name, own in lines.items():
        (tmp_path / f"test.{name}").write_text("\n".join(own[5:8]) + "\n")
        files[name] = str(tmp_path / f"test.{name}")
    pairs = gold_pairs(files, {"type": "embedded", "domain": "news"})
    assert [" ".join(pair.source) for pair in pairs] == lines["source"][5:8]
    assert all(len(pair.links.sure) == len(pair.source) for pair in pairs)
