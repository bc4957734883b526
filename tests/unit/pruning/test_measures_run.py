"""All measures of importance on one scale: the planted head of a classifier, and the heads of a translation model."""

import pandas as pd
import pytest
import torch
from planted import planted_model, planted_task
from scipy.stats import spearmanr
from tiny_bert import tiny_marian, word_tokenizer
from tokenizers.normalizers import Lowercase

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.models.scoring.bleu import score
from headwork.pruning.gates_on_frozen import learned_gates
from headwork.pruning.jobs import measures as job
from headwork.pruning.jobs.measures import compare, measure_classifier, measure_translation
from headwork.pruning.measures import COMPARED
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.output_norms import output_norms
from headwork.relevance.propagation.attn_lrp import relevance_shares
from headwork.relevance.subjects import ClassifierSubject
from headwork.run.frame import Files
from headwork.settings.models import TaskSettings, Translation
from headwork.settings.pruning import GateLearning, MeasureSettings
from headwork.sites import Head, Site

TASK = TaskSettings(task="SST-2")
SETTINGS = {
    "texts": 20,
    "judged": 20,
    "longest": 16,
    "tokens": 60,
    "orders": 2,
    "shares": [0, 0.75, 1],
    "gates": {"steps": 60, "penalty": 0.05},
}
PLANTED = Head("encoder", 1, 2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return planted_model(tmp_path_factory.mktemp("model")), planted_task(tmp_path_factory.mktemp("SST-2"))


@pytest.fixture(scope="module")
def subject(folders):
    classifier = Classifier.load(folders[0], TASK, 16)
    texts = classifier.read(folders[1], "train", 16)
    return ClassifierSubject.of(classifier, texts, texts, 60)


@pytest.fixture(scope="module")
def found(folders, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    outputs = {name: folder / f"{name}.csv" for name in ("heads", "curves")}
    measured(folders, Files(**outputs))
    return {name: pd.read_csv(path) for name, path in outputs.items()}


def measured(folders, output, **changes):
    model, task = folders
    settings = MeasureSettings.read(SETTINGS | changes, "measures")
    measure_classifier(Files(model=model, task=task), output, TASK, settings)


def test_every_measure_of_what_a_head_does_finds_the_planted_one(found):
    heads = found["heads"]
    for measure in (*(each.key for each in COMPARED), "score", "likelihood"):
        own = heads[heads["measure"] == measure].set_index(["kind", "layer", "head"])["value"]
        assert len(own) == 4
        if measure not in ("confidence", "attention"):  # its attention is as even as that of all others
            assert own.idxmax() == tuple(PLANTED), measure
    worth = heads[heads["measure"] == "score"].set_index(["kind", "layer", "head"])["value"]
    assert worth[tuple(PLANTED)] == pytest.approx(0.5)


def test_curves_of_every_order(found):
    curves = found["curves"]
    assert curves["metric"].eq("accuracy").all()
    own = curves[curves["measure"] == "gates"].set_index("share")
    assert own["score"].to_dict() == {0.0: 1.0, 0.75: 1.0, 1.0: 0.5}
    assert own["likelihood"].is_monotonic_decreasing
    assert curves[curves["measure"] == "random"]["order"].nunique() == 2


def test_shares_of_relevance_sum_to_one(subject):
    for given in subject.measured:
        amounts = relevance_shares(subject, given)
        first = amounts[Site("encoder", 1)]
        torch.testing.assert_close(first.sum(1), torch.ones(len(first)))


def test_norms_are_those_of_what_heads_add(subject):
    """Only head 2 of layer 1 has values; its W_O doubles their first dimension."""
    given = subject.measured[0]
    found = output_norms(subject, given)
    assert found[Site("encoder", 1)][:, 0].abs().max() == 0
    assert (found[Site("encoder", 1)][:, 1] > 0).all()
    assert found[Site("encoder", 2)].abs().max() == 0


def test_a_harsh_penalty_closes_what_is_not_needed(subject):
    sites = {site: part.heads for site, part in anatomy(subject.model).sites.items()}
    log_a = learned_gates(subject, sites, GateLearning(steps=80, penalty=0.1))
    assert log_a[PLANTED] > max(value for head, value in log_a.items() if head != PLANTED) + 1
    again = learned_gates(subject, sites, GateLearning(steps=80, penalty=0.1))
    assert spearmanr(list(log_a.values()), list(again.values())).statistic == pytest.approx(1)


def test_what_is_refused_before_anything_is_measured(folders, subject):
    with pytest.raises(InputError, match="measures: examples of 64 pieces for a model of 32 positions"):
        measured(folders, Files(), longest=64)
    known = {"lrp": {Head("encoder", 1, head): 0.5 for head in (1, 2)}}
    with pytest.raises(InputError, match="measures: no lrp is known of encoder 2; name"):
        compare(subject, MeasureSettings.read(SETTINGS, "measures"), Files(), known)


def test_shares_of_a_single_point():
    with pytest.raises(InputError, match=r"`shares`: it is \[0.0\]; name 2 or more from 0 to 1"):
        MeasureSettings.read({"shares": [0]}, "measures")


def test_translations_of_a_model_without_case_are_scored_without_case(tmp_path, monkeypatch):
    tokenizer = word_tokenizer("abcdefgh")
    tokenizer.backend_tokenizer.normalizer = Lowercase()
    for side in ("source", "target"):
        (tmp_path / f"test.{side}.txt").write_text("A b c\n", encoding="utf-8")
    monkeypatch.setattr(job, "load", lambda folder: (tiny_marian(tokenizer), tokenizer))
    monkeypatch.setattr(job, "pair_batches", lambda *given: [])
    monkeypatch.setattr(job, "_read_shares", lambda *given: {})
    subjects = []
    monkeypatch.setattr(job, "compare", lambda subject, *given: subjects.append(subject))
    given = Files(model=tmp_path, corpus=tmp_path, relevance="relevance.parquet")
    settings = MeasureSettings.read(SETTINGS, "measures")
    translation = Translation.read({"scoring": {"tokenize": "none"}}, "translation")
    measure_translation(given, Files(), translation, settings)
    scoring = subjects[0].scoring
    assert score(["a b c"], subjects[0].reference, scoring)["exact"] == 1
