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
    scores = score_parses([GOLD], [FOUND])
    assert scores == {
        "sentences": 1,
        "words": 3,
        "upos": 2 / 3,
        "uas": 2 / 3,
        "las": 2 / 3,
        "las_subtypes": 0.0,
    }


def test_against_the_shared_task_script(tmp_path):
    from stanza.models.common.utils import ud_scores  # imports the shared task's own script

    draw = np.random.default_rng(3)
    relations = ["nsubj", "nsubj:pass", "obj", "obl:tmod"]

    def tree(size):
        heads = [0, *(int(draw.integers(1, place + 1)) for place in range(1, size))]
        words = [
            (
                f"w{place}",
                str(draw.choice(["NOUN", "VERB"])),
                head,
                str(draw.choice(relations)) if head else "root",
            )
            for place, head in enumerate(heads)
        ]
        return _sentence(*words)

    sizes = [int(size) for size in draw.integers(1, 12, 40)]
    for name in ("gold", "parsed"):
        write_conllu(tmp_path / name, [tree(size) for size in sizes])
    score_files(
        Files(gold=tmp_path / "gold", parsed=tmp_path / "parsed"), Files(scores=tmp_path / "scores.json")
    )
    ours = json.loads((tmp_path / "scores.json").read_text())
    theirs = ud_scores(str(tmp_path / "gold"), str(tmp_path / "parsed"))
    for name, metric in {"upos": "UPOS", "uas": "UAS", "las": "LAS"}.items():
        assert 0.05 < ours[name] < 0.95
        assert ours[name] == pytest.approx(theirs[metric].f1)


def test_files_of_other_sentences_are_refused(tmp_path):
    gold, parsed = tmp_path / "gold.conllu", tmp_path / "parsed.conllu"
    output = Files(scores=tmp_path / "scores.json")
    write_conllu(gold, [GOLD, GOLD])
    write_conllu(parsed, [GOLD])
    with pytest.raises(
        InputError, match=r"gold\.conllu: it has more sentences than .*parsed\.conllu, .* after 1"
    ):
        score_files(Files(gold=gold, parsed=parsed), output)
    with pytest.raises(InputError, match=r"gold\.conllu: it has more sentences"):
        score_files(Files(gold=parsed, parsed=gold), output)
    write_conllu(parsed, [GOLD, _sentence(("You", "PRON", 0, "root"))])
    with pytest.raises(InputError, match=r"gold\.conllu:5: sentence 2 has other words than in .*\(line 5\)"):
        score_files(Files(gold=gold, parsed=parsed), output)
    assert not (tmp_path / "scores.json").exists()
    with pytest.raises(InputError, match="no sentences; give a file"):
        score_parses([], [])
