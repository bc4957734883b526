"""Attention to features: by hand on a planted map, against loops, and the slips of the authors' code."""

import numpy as np
import pytest
import torch
from hand_made import table_of
from task_trees import EXAMPLES, TREES, tokenizer

from headwork.heads.statistics.token_classes import token_classes
from headwork.heads.statistics.token_features import FEATURES, FROM_CLS, TokenFeatures, features_of
from headwork.heads.streaming.task_texts import task_batches, task_texts
from headwork.parses.conllu import Word
from headwork.settings.heads import FeatureSettings


@pytest.fixture(scope="module")
def batch():
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40, TREES)
    return task_batches(texts, seconds, tokenizer().pad_token_id, 100)[0]


def maps_of(batch):
    torch.manual_seed(0)
    present = batch.queries["encoder"].present
    scores = torch.randn(2, 3, present.shape[1], present.shape[1]) * 2
    return scores.masked_fill(~present[:, None, None], -1e9).softmax(-1)


def measured(batch, maps, settings=None):
    features = TokenFeatures(token_classes(tokenizer()), settings)
    return table_of(features, maps, batch).set_index(["statistic", "head", "key"])


def test_features_of_words():
    assert features_of(Word("owl", upos="NOUN", deprel="nsubj:pass")) == ["noun", "subject"]
    assert features_of(Word("Tom", upos="PROPN", deprel="iobj")) == ["noun", "object"]
    assert features_of(Word("who", upos="PRON", deprel="nsubj", feats={"PronType": "Int"})) == ["subject"]
    assert features_of(Word("Never", upos="ADV", deprel="advmod")) == ["negation"]
    assert features_of(Word("can", upos="AUX", xpos="MD", deprel="aux")) == []
    assert features_of(Word("is", upos="AUX", xpos="VBZ", deprel="cop")) == ["verb"]


def test_shares_are_those_of_the_equations(batch):
    """Restated with loops; rows are in the order of the batch, the shorter text first."""
    maps = maps_of(batch)
    found = measured(batch, maps)
    # places in the pieces, [CLS] being 0: of the shorter text, and of the longer
    places = {
        "noun": ([1], [2, 6, 12]),
        "verb": ([2, 7], [3, 10]),
        "pronoun": ([5], [9]),
        "subject": ([1, 5], [2, 9]),
        "object": (None, [6, 12]),
        "negation": ([6], [4]),
        "cls": ([0], [0]),
        "sep": ([4, 9], [8, 14]),
    }
    for head in range(3):
        for feature, of_texts in places.items():
            shares, from_cls = [], []
            for weights, length, own in zip(maps[:, head].double().numpy(), (10, 15), of_texts, strict=True):
                if own is not None:
                    shares.append(max(weights[:length, place].mean() for place in own))
                    from_cls.append(max(weights[0, place] for place in own))
            for statistic, values in (("feature", shares), (FROM_CLS, from_cls)):
                row = found.loc[statistic, head + 1, feature]
                assert row["value"] == pytest.approx(np.mean(values), rel=1e-5), (statistic, feature)
                assert row["count"] == len(values)


def test_a_head_that_looks_at_subjects_only(batch):
    maps = torch.zeros_like(maps_of(batch))
    maps[0, :, :, 1] = 1
    maps[1, :, :, 2] = 1
    values = measured(batch, maps)["value"]["feature", 1]
    assert values["subject"] == values["noun"] == 1
    assert values[["verb", "object", "negation", "cls", "sep"]].eq(0).all()


def test_slips_of_the_authors_code(batch):
    maps = maps_of(batch)
    plain = measured(batch, maps)
    absent = measured(batch, maps, FeatureSettings(absent="zero"))
    ours, theirs = (table.loc["feature", 1, "object"] for table in (plain, absent))
    assert (ours["count"], theirs["count"]) == (1, 2)
    assert theirs["value"] == pytest.approx(ours["value"] / 2)
    # a subject's piece that stands elsewhere too: in the second text "sees" is a verb twice, "the" no feature
    pieces = measured(batch, maps, FeatureSettings(match="piece"))
    assert pieces["value"].ge(plain["value"] - 1e-6).all()
    for feature in FEATURES[-2:]:
        assert pieces.loc["feature", 2, feature]["value"] == pytest.approx(
            plain.loc["feature", 2, feature]["value"]
        )


def test_texts_without_trees_have_no_features_of_words(batch):
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40)
    bare = task_batches(texts, seconds, 0, 100)[0]
    assert set(measured(bare, maps_of(bare)).index.get_level_values("key")) == {"cls", "sep"}
