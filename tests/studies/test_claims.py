"""Claims on hand-made tables: each test's number can be checked in the head, and gaps give a reason, not a verdict."""

from importlib import import_module

import claims_by_hand
import numpy as np
import pandas as pd
import pytest
from claims_by_hand import FOLDER, claim, judged, study_of
from studies.voita2019 import claims as voita2019

from headwork.errors import InputError
from headwork.studies import judging
from headwork.studies.judging import COLUMNS, FAILS, HOLDS, UNTESTABLE, check_claim
from headwork.studies.verdicts import draw_verdicts, metrics

LABELS = {"run": "news-s1", "domain": "news", "pair": "EN-RU", "label": "Karvan", "trained": True}


def functions(*rows, **labels):
    """(layer, head, function, score, baseline, holds) with 1000 instances each."""
    table = pd.DataFrame(rows, columns=["layer", "head", "function", "score", "baseline", "holds"])
    table = table.assign(kind="encoder", margin=table["score"] - table["baseline"], count=1000)
    return table.assign(**(LABELS | labels))


def statistics(*rows, **labels):
    """(layer, head, statistic, key, value) with 1000 instances each."""
    table = pd.DataFrame(rows, columns=["layer", "head", "statistic", "key", "value"])
    return table.assign(kind="encoder", count=1000, **(LABELS | labels))


def verdict(tables, test, select=None, /, **parameters):
    return claims_by_hand.verdict("voita2019", test, tables, select, **parameters)


BOTH = ["positional/-1", "positional/+1"]
NEIGHBOURS = functions(
    (1, 1, "positional/-1", 0.95, 0.0, True),
    (1, 1, "positional/+1", 0.02, 0.0, False),
    (2, 1, "positional/-1", 0.10, 0.0, False),
    (2, 1, "positional/+1", 0.91, 0.0, True),
)


def test_the_worst_of_the_best_heads_decides():
    row = verdict({"functions": NEIGHBOURS}, "best_head_at_least", functions=BOTH, at_least=0.9)
    assert (row["ours"], row["n"], row["verdict"]) == (0.91, 1000, HOLDS)
    assert row["low"] < 0.91 < row["high"]
    assert row["note"] == "lowest: positional/+1 in news-s1, encoder 2-1"
    row = verdict({"functions": NEIGHBOURS}, "best_head_at_least", functions=BOTH, at_least=0.92)
    assert row["verdict"] == FAILS


RELATIONS = functions(
    (1, 1, "syntactic/nsubj/to-head", 0.60, 0.35, True),
    (1, 1, "syntactic/amod/to-head", 0.74, 0.72, False),
    (1, 2, "syntactic/nsubj/to-head", 0.40, 0.35, False),
    (1, 2, "syntactic/amod/to-head", 0.70, 0.72, False),
)


def test_margins_over_the_baseline():
    tables = {"functions": RELATIONS}
    row = verdict(tables, "best_head_above_baseline", functions=["syntactic/nsubj/to-head"], at_least=0.1)
    assert row["ours"] == pytest.approx(0.25)
    assert row["verdict"] == HOLDS
    row = verdict(
        tables, "margins_larger", larger=["syntactic/nsubj/to-head"], smaller=["syntactic/amod/to-head"]
    )
    assert row["ours"] == pytest.approx(0.23)
    assert 0 < row["low"] < 0.23 < row["high"]
    assert row["verdict"] == HOLDS
    row = verdict(
        tables, "margins_larger", larger=["syntactic/amod/to-head"], smaller=["syntactic/nsubj/to-head"]
    )
    assert row["verdict"] == FAILS


def test_a_difference_within_chance_does_not_hold():
    near = RELATIONS.assign(score=[0.61, 0.97, 0.4, 0.7], count=100)
    row = verdict(
        {"functions": near},
        "margins_larger",
        larger=["syntactic/nsubj/to-head"],
        smaller=["syntactic/amod/to-head"],
    )
    assert row["ours"] == pytest.approx(0.01)
    assert row["verdict"] == FAILS


def test_a_rare_head_must_be_in_its_layer():
    table = statistics(
        (1, 1, "rare", "rarest", 0.3), (1, 2, "rare", "rarest", 0.6), (2, 1, "rare", "rarest", 0.7)
    )
    tables = {"statistics": table}
    row = verdict(tables, "rare_head", key="rarest", layer=1, at_least=0.5)
    assert (row["ours"], row["verdict"]) == (0.6, HOLDS)
    assert "encoder 1-2" in row["note"]
    assert "best of any layer: encoder 2-1" in row["note"]
    assert verdict(tables, "rare_head", key="rarest", layer=1, at_least=0.65)["verdict"] == FAILS
    assert verdict(tables, "rare_head", key="two-rarest", layer=1, at_least=0.5)["verdict"] == UNTESTABLE


def test_persons_differ_between_domains():
    news = pd.DataFrame({"person": ["1", "2", "3"], "count": [60, 30, 910]}).assign(**LABELS)
    subtitles = pd.DataFrame({"person": ["1", "2", "3"], "count": [320, 210, 470]})
    subtitles = subtitles.assign(**(LABELS | {"domain": "subtitles", "run": "subtitles-s1"}))
    settings = {"persons": ["1", "2"], "more_in": "subtitles", "less_in": "news"}
    row = verdict({"persons": pd.concat([news, subtitles])}, "persons_differ", **settings)
    assert row["ours"] == pytest.approx(0.44)
    assert row["verdict"] == HOLDS
    assert row["note"] == "53 % in subtitles, 9 % in news"
    assert verdict({"persons": news}, "persons_differ", **settings)["verdict"] == UNTESTABLE


def test_confidence_of_positional_heads():
    confidence = statistics(
        (1, 1, "confidence", "", 0.9), (2, 1, "confidence", "", 0.8), (3, 1, "confidence", "", 0.85)
    )
    tables = {"functions": NEIGHBOURS, "statistics": confidence}
    row = verdict(tables, "least_confidence", function="positional", above=0.79)
    assert (row["ours"], row["n"], row["verdict"]) == (0.8, 1000, HOLDS)
    assert row["low"] < 0.8 < row["high"]
    assert row["note"] == "lowest of 2: news-s1, encoder 2-1"
    assert verdict(tables, "least_confidence", function="positional", above=0.8)["verdict"] == FAILS
    assert verdict(tables, "least_confidence", function="rare", above=0.8)["verdict"] == UNTESTABLE


@pytest.mark.parametrize(
    ("above", "share", "decided"), [(0.9, 0.0, FAILS), (0.86, 0.25, HOLDS), (0.8, 0.5, FAILS)]
)
def test_a_few_confident_heads_are_some_but_not_many(above, share, decided):
    confidence = statistics(*[(1, head, "confidence", "", 0.75 + 0.05 * head) for head in range(4)])
    tables = {"functions": NEIGHBOURS, "statistics": confidence}
    row = verdict(tables, "confident_heads", above=above, at_most=0.25)
    assert (row["ours"], row["n"], row["verdict"]) == (share, 4, decided)
    assert "the highest is at 0.90" in row["note"]


def test_the_untrained_control_looks_at_the_untrained_run_only():
    untrained = functions(
        (1, 1, "rare", 0.1, 0.2, False), (1, 2, "rare", 0.1, 0.2, False), run="new", trained=False
    )
    tables = {"functions": pd.concat([NEIGHBOURS, untrained])}
    row = verdict(tables, "heads_with_function", {"trained": False}, at_most=0)
    assert (row["ours"], row["low"], row["n"], row["verdict"]) == (0, 0, 2, HOLDS)
    assert verdict(tables, "heads_with_function", at_most=0)["verdict"] == FAILS
    row = verdict({"functions": NEIGHBOURS}, "heads_with_function", {"trained": False}, at_most=0)
    assert (row["verdict"], row["note"]) == (UNTESTABLE, "there is no run with trained False")


def test_too_few_instances_are_no_evidence():
    row = verdict(
        {"functions": NEIGHBOURS.assign(count=99)}, "best_head_at_least", functions=BOTH, at_least=0.9
    )
    assert (row["verdict"], row["n"]) == (UNTESTABLE, 0)
    assert "99 instances" in row["note"]


def test_missing_tables_and_functions_give_the_reason():
    row = verdict({}, "best_head_at_least", functions=BOTH, at_least=0.9)
    assert (row["verdict"], row["note"]) == (UNTESTABLE, "the table functions was not made")
    row = verdict({"functions": NEIGHBOURS}, "best_head_at_least", functions=["rare"], at_least=0.9)
    assert row["note"] == "rare was not measured in news-s1"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"test": "best_haed"}, "unknown test 'best_haed'; known are"),
        ({"parameters": {"functions": BOTH, "at_lest": 0.9}}, "missing a required argument: 'at_least'"),
        (
            {"parameters": {"functions": BOTH, "at_least": 0.9, "at_most": 1}},
            "unexpected keyword argument 'at_most'",
        ),
        ({"note": "x"}, "correct 'note'"),
    ],
)
def test_claims_written_wrongly_are_refused(wrong, says):
    right = claim("best_head_at_least", functions=BOTH, at_least=0.9)
    check_claim(right, judging.tests_in(voita2019))
    with pytest.raises(InputError, match=says):
        judged("voita2019", [right | wrong], {"functions": NEIGHBOURS})


@pytest.mark.parametrize("key", [path.parent.name for path in sorted(FOLDER.glob("*/study.yaml"))])
def test_every_claim_of_a_study_is_written_rightly(key):
    """Without any table each claim is untestable: none names a test, or gives it parameters, that it does not have."""
    study = study_of(key)
    if not study.claims:
        assert not (FOLDER / key / "claims.py").exists()
        return
    for each in study.claims:
        check_claim(each, judging.tests_in(import_module(f"studies.{key}.claims")))
    table = judged(key, study.claims, {})
    assert tuple(table.columns) == COLUMNS
    assert set(table["verdict"]) == {UNTESTABLE}
    assert len(table) == len(study.claims)


def test_only_functions_of_a_selection_are_tests():
    assert {"bleu_lost", "rare_head"} <= set(judging.tests_in(voita2019))
    assert "mean_place" not in judging.tests_in(voita2019)


def test_controls_of_ours_stand_and_count_apart():
    paper = {"study": "s", "origin": "paper", "claim": "theirs", "published": 1.0, "ours": 1.0}
    rows = [paper | {"origin": "control", "claim": "ours"}, paper, paper | {"claim": "theirs too"}]
    nothing = {"low": np.nan, "high": np.nan, "n": 3, "source": "", "note": ""}
    verdicts = ("holds", "does not hold", "holds")
    rows = [row | nothing | {"verdict": each} for row, each in zip(rows, verdicts, strict=True)]
    claims = pd.DataFrame(rows)
    found = metrics(claims)
    assert found["counts"] == {"control": {"holds": 1}, "paper": {"does not hold": 1, "holds": 1}}
    assert found["s"]["ours"]["verdict"] == "holds"
    shown = [text.get_text() for text in draw_verdicts(claims).axes[0].texts]
    lines = ("theirs", "theirs too", "Controls of this project, not of the paper", "ours")
    order = [shown.index(line) for line in lines]
    assert order == sorted(order)
