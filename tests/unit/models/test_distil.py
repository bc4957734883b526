"""Text for distillation: blocks that a killed run goes on from, and faults of translations."""

import os
import signal

import pandas as pd
import pytest

from headwork.models.jobs import distil as job
from headwork.models.jobs.distil import Quality, blocks, distil, faults, round_trip
from headwork.models.scoring.greedy import Translation
from headwork.run.frame import Files, call

SPLITS = ("train", "dev", "test")
TEACHER = {"model": "package:translator==1.0", "wheel_folder": "enpt", "block": 4, "round_trip": 2}


def said(text: str, ended: bool = True) -> Translation:
    """A translation in words as pieces."""
    return Translation(text, len(text.split()), len(text.split()), ended)


class Upper:
    """A translator into capitals, which counts its blocks and may be struck before one of them."""

    def __init__(self, strike=None, before=None) -> None:
        self.made, self.strike, self.before = [], strike, before

    def __call__(self, lines):
        if len(self.made) == self.before:
            self.strike()
        self.made.append(len(lines))
        return [said(line.upper()) for line in lines]


@pytest.fixture
def texts(tmp_path):
    """Three texts of 10, 3 and 5 sentences."""
    for split, number in zip(SPLITS, (10, 3, 5), strict=True):
        lines = [f"{split} sentence {line}" for line in range(number)]
        (tmp_path / f"{split}.txt").write_text("\n".join(lines) + "\n")
    return {split: tmp_path / f"{split}.txt" for split in SPLITS}


def translated(texts, monkeypatch, folder, translator, teacher=TEACHER) -> dict[str, bytes]:
    """What the job writes to a folder: content by name."""
    monkeypatch.setattr(job, "translator", lambda *_: translator)
    outputs = {split: folder / f"{split}.out.txt" for split in SPLITS} | {"table": folder / "quality.csv"}
    call(distil, Files(**texts), Files(**outputs), {"teacher": teacher})
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.*")) if path.is_file()}


def test_texts_in_blocks(texts, monkeypatch, tmp_path) -> None:
    upper = Upper()
    files = translated(texts, monkeypatch, tmp_path / "a", upper)
    assert upper.made == [4, 1, 3, 4, 4, 2], "test, dev, train"
    for split in SPLITS:
        assert files[f"{split}.out.txt"].decode() == texts[split].read_text().upper()
    table = pd.read_csv(tmp_path / "a/quality.csv").set_index("split")
    assert table["sentences"].to_dict() == {"train": 10, "dev": 3, "test": 5}
    assert "round_trip_chrf" not in table


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_files(texts, monkeypatch, tmp_path) -> None:
    whole = translated(texts, monkeypatch, tmp_path / "whole", Upper())

    def killed():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        translated(texts, monkeypatch, tmp_path / "killed", Upper(killed, before=4))
    assert not (tmp_path / "killed/train.out.txt").exists()
    rest = Upper()
    assert translated(texts, monkeypatch, tmp_path / "killed", rest) == whole
    assert rest.made == [4, 2]


def test_asked_to_end_it_writes_the_block_that_it_is_at(texts, monkeypatch, tmp_path) -> None:
    upper = Upper(lambda: os.kill(os.getpid(), signal.SIGTERM), before=3)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        translated(texts, monkeypatch, tmp_path / "a", upper)
    assert ended.value.code == 143
    assert upper.made == [4, 1, 3, 4]
    assert signal.getsignal(signal.SIGTERM) == before
    rest = Upper()
    translated(texts, monkeypatch, tmp_path / "a", rest)
    assert rest.made == [4, 2]


def test_a_block_is_used_only_for_what_it_was_made_for(texts, tmp_path) -> None:
    def made(settings, size=4):
        upper = Upper()
        list(blocks(texts["train"], "train", tmp_path / "work", upper, settings, size))
        return upper.made

    assert made({"model": 1}) == [4, 4, 2]
    assert made({"model": 1}) == []
    assert made({"model": 2}) == [4, 4, 2]
    lines = texts["train"].read_text().splitlines()
    texts["train"].write_text("\n".join([*lines[:4], "another", *lines[5:8]]) + "\n")
    assert made({"model": 1}) == [4], "the first block of the shorter text is that of the longer"


@pytest.mark.parametrize(
    ("source", "found", "expected"),
    [
        ("a b", said("c d"), set()),
        ("a b", said(""), {"empty"}),
        ("Anna", said("Anna"), {"copied"}),
        ("a", Translation("b", 1, 12, True), set()),
        ("a", Translation("b", 1, 13, False), {"overlong", "truncated"}),
        ("a b", said("ha ha ha c"), {"repeated"}),
        ("a b", said("de um de um de um"), {"repeated"}),
        ("a b", said("de um de um c"), set()),
        ("ha ha ha", said("ha ha ha!"), set()),
        ("no no no", said("ha ha ha"), set()),
    ],
)
def test_faults(source, found, expected) -> None:
    assert {name for name, faulty in faults(source, found).items() if faulty} == expected


def test_shares_of_faults_and_a_round_trip() -> None:
    quality = Quality()
    quality.add("test", ["a b", "c d"], [said("x y"), said("")])
    quality.add("test", ["e f", "g h"], [said("z z"), said("g h")])
    lower = lambda lines: [said(line.lower()) for line in lines]  # noqa: E731
    quality.back = round_trip(["one two", "three four"], Upper(), lower)
    (row,) = quality.table().to_dict("records")
    assert (row["sentences"], row["empty"], row["copied"], row["truncated"]) == (4, 0.25, 0.25, 0)
    assert row["pieces"] == 6 / 4
    assert row["round_trip_chrf"] == pytest.approx(100)
    assert row["round_trip_sentences"] == 2
