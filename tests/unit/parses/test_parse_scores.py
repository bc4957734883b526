"""UPOS, UAS and LAS against counts by hand and against the CoNLL 2018 shared task's own script."""

import json

import numpy as np
import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, write_conllu
from headwork.parses.scores import score_files, score_parses
from headwork.run.frame import Files


def _sentence(*words):
    return Sentence([Word(*word[:1], upos=word[1], head=word[2], deprel=word[3]) for word in words])


GOLD = _sentence(("I", "PRON", 2, "nsubj"), ("was", "AUX", 3, "aux:pass"), ("seen", "VERB", 0, "root"))
FOUND = _sentence(("I", "PRON", 2, "nsubj:pass"), ("was", "VERB", 3, "aux"), ("seen", "VERB", 2, "root"))


def test_by_hand():
    shares = {"upos": 2 / 3, "uas": 2 / 3, "las": 2 / 3, "las_subtypes": 0.0}
    assert score_parses([GOLD], [FOUND]) == {"sentences": 1, "words": 3, **shares}


def test_against_the_shared_task_script(tmp_path):
    from stanza.models.common.utils import ud_scores  # imports the shared task's own script

    draw = np.random.default_rng(3)

    def tree(size):
        heads = [0, *(int(draw.integers(1, place + 1)) for place in range(1, size))]
        words = []
        for place, head in enumerate(heads):
            relation = str(draw.choice(["nsubj", "nsubj:pass", "obj", "obl:tmod"])) if head else "root"
            words.append((f"w{place}", str(draw.choice(["NOUN", "VERB"])), head, relation))
        return _sentence(*words)

    sizes = [int(size) for size in draw.integers(1, 12, 40)]
    files = Files(gold=tmp_path / "gold", parsed=tmp_path / "parsed")
    for path in (files.gold, files.parsed):
        write_conllu(path, [tree(size) for size in sizes])
    score_files(files, Files(scores=tmp_path / "scores.json"))
    ours, theirs = (
        json.loads((tmp_path / "scores.json").read_text()),
        ud_scores(*map(str, (files.gold, files.parsed))),
    )
    for name, metric in {"upos": "UPOS", "uas": "UAS", "las": "LAS"}.items():
        assert 0.05 < ours[name] < 0.95
        assert ours[name] == pytest.approx(theirs[metric].f1)


@pytest.mark.parametrize(
    ("gold", "parsed", "message"),
    [
        ([GOLD, GOLD], [GOLD], r"gold: it has more sentences than .*parsed, .* after 1"),
        ([GOLD], [GOLD, GOLD], r"parsed: it has more sentences"),
        (
            [GOLD] * 2,
            [GOLD, _sentence(("You", "PRON", 0, "root"))],
            r"gold:5: sentence 2 has other words .*5\)",
        ),
    ],
)
def test_files_of_other_sentences_are_refused(tmp_path, gold, parsed, message):
    files = Files(gold=tmp_path / "gold", parsed=tmp_path / "parsed")
    write_conllu(files.gold, gold)
    write_conllu(files.parsed, parsed)
    with pytest.raises(InputError, match=message):
        score_files(files, Files(scores=tmp_path / "scores.json"))
    assert not (tmp_path / "scores.json").exists()


def test_nothing_cannot_be_scored():
    with pytest.raises(InputError, match="no sentences; give a file"):
        score_parses([], [])
