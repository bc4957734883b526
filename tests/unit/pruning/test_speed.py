"""Two models timed by turns."""

from itertools import accumulate, count

import pytest

from headwork.corpora.subwords import learning as subwords
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import read_tokenizer, save
from headwork.models.scoring import beam_search as translate
from headwork.pruning.speed import by_turns, time_run
from headwork.settings.models import Translation
from headwork.settings.pruning import SpeedSettings

SENTENCES = ["the old fox", "a dog", "the dog sees the fox", "a fox runs"] * 2
SHAPE = {
    "family": "pegasus",
    "decoder_layers": 1,
    "heads": 2,
    "width": 16,
    "feed_forward": 16,
    "max_positions": 20,
}


def test_each_takes_its_turn_and_the_first_is_not_counted():
    played = []
    turns = {name: lambda name=name: played.append(name) for name in ("whole", "smaller")}
    # at every look the clock has gone on by one second more than at the look before
    ticks = accumulate(count())
    seconds = by_turns(turns, 3, clock=lambda: float(next(ticks)))
    assert played == ["whole", "smaller", *("whole", "smaller"), *("smaller", "whole"), *("whole", "smaller")]
    assert seconds == {"whole": [1, 7, 9], "smaller": [3, 5, 11]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Eight sentences, and a model of two encoder layers beside one of one."""
    folder = tmp_path_factory.mktemp("speed")
    (folder / "test.source.txt").write_text("".join(f"{line}\n" for line in SENTENCES))
    tokenizer = subwords.learn([folder / "test.source.txt"], subwords.Subwords(vocabulary=40))
    subwords.save(tokenizer, folder / "tokenizer.json")
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    for name, layers in (("whole", 2), ("smaller", 1)):
        save(folder / name, build({**SHAPE, "encoder_layers": layers}, tokenizer, 1), tokenizer)
    return folder


def timed(folder, translation=None, **settings):
    translation = translation or Translation(beam=2, longest_factor=1.0)
    models, source = (folder / "whole", folder / "smaller"), folder / "test.source.txt"
    return time_run(*models, source, translation, SpeedSettings(**settings))


def test_what_is_found(folder):
    speed = timed(folder, sentences=5, repeats=3)
    assert speed["sentences"] == 5
    assert {name: len(seconds) for name, seconds in speed["seconds"].items()} == {"whole": 3, "smaller": 3}
    for name, seconds in speed["seconds"].items():
        assert speed["sentences_per_second"][name] == pytest.approx(5 / min(seconds))
    per_second = speed["sentences_per_second"]
    assert speed["ratio"] == pytest.approx(per_second["smaller"] / per_second["whole"])


def test_models_are_timed_in_the_shapes_they_have(folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("CTranslate2 puts heads of zeros back")

    monkeypatch.setattr(translate, "CTranslate2", refuse)
    for engine in ("ctranslate2", "auto"):
        speed = timed(folder, Translation(engine=engine, beam=2, longest_factor=1.0), sentences=2, repeats=1)
        assert speed["engine"] == "transformers"
