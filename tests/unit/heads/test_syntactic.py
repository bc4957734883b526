"""Planted subject and object heads are found between words made of pieces; baselines count the same instances."""

import pytest
import torch

from headwork.heads.statistics.functions import Baselines, label
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look
from headwork.heads.streaming.word_attention import WordLevel
from headwork.heads.syntax.syntactic import Syntactic
from headwork.lens.attention import Attended
from headwork.parses.align import to_words
from headwork.parses.conllu import Sentence, Word
from headwork.settings.heads import FunctionSettings, SyntacticSettings
from headwork.settings.parses import Relations
from headwork.sites import Site

SITE = Site("encoder", 2)


def sentence(*words):
    """Words as (head, relation), heads counted from 1."""
    return Sentence([Word(f"w{place}", head=head, deprel=name) for place, (head, name) in enumerate(words)])


# 0 the, 1 old, 2 cat, 3 often, 4 sees, 5 a, 6 dog
CAT = sentence((3, "det"), (3, "amod"), (5, "nsubj"), (5, "advmod"), (0, "root"), (7, "det"), (5, "obj"))
# the same words, the subject elsewhere: 6 is the subject, 2 the object
LATE = sentence((3, "det"), (3, "amod"), (5, "obj"), (5, "advmod"), (0, "root"), (7, "det"), (5, "nsubj"))
# 0 dogs, 1 sleep, 2 there
DOGS = sentence((2, "nsubj"), (0, "root"), (2, "advmod:lmod"))
CAT_WORDS = [0, 1, 1, 2, 2, 3, 4, 4, 4, 5, 6, -1]
DOGS_WORDS = [0, 0, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1]


def batch_of(words, sentences):
    words = torch.tensor(words)
    side = Side(words + 2, torch.ones_like(words).bool(), words >= 0, words, tuple(sentences))
    return Batch({}, {"encoder": side}, {"encoder": side})


def shown(statistic, weights, batch):
    """{(head, key): (value, count)} after looks at one row of the batch each, as a lens that shows few at a time."""
    statistic.start(batch)
    value = torch.zeros(1, *weights.shape[1:3], 1)
    looks = [
        Look(Attended(SITE, slice(row, row + 1), weights[row : row + 1], value), batch)
        for row in range(len(weights))
    ]
    for reduction in statistic.reductions:
        statistic.update(SITE, torch.cat([reduction(look) for look in looks]))
    table = statistic.table()
    return {(row.head, row.key): (row.value, row.count) for row in table.itertuples()}


def planted(words, pairs, noise):
    """Maps (head, query, key): head h sends more from word q to word k than to any other word."""
    words = torch.as_tensor(words)
    maps = noise.clone()
    for head, links in enumerate(pairs):
        for query, key in links:
            own = (words == key).nonzero()[:, 0]
            # spread over the key word's pieces, so that each alone is weaker than the noise's strongest
            maps[head, words == query] = maps[head, words == query] * 0.5
            maps[head][(words == query).nonzero(), own] += 0.7 / len(own)
    return maps / maps.sum(-1, keepdim=True)


@pytest.fixture
def two_sentences():
    noise = torch.rand(2, 4, 12, 12, generator=torch.manual_seed(0)) * 0.1
    # head 1: verb to subject; head 2: object to verb; head 3: adjective to noun; head 4: nothing
    cat = planted(CAT_WORDS, [[(4, 2)], [(6, 4)], [(1, 2)], []], noise[0])
    dogs = planted(DOGS_WORDS, [[(1, 0)], [], [], []], noise[1])
    return torch.stack([cat, dogs]), batch_of([CAT_WORDS, DOGS_WORDS], [CAT, DOGS])


def test_planted_heads_are_found(two_sentences):
    found = shown(Syntactic(), *two_sentences)
    assert found[1, "nsubj/to-dependent"] == (1.0, 2)
    assert found[2, "obj/to-head"] == (1.0, 1)
    assert found[3, "amod/to-head"] == (1.0, 1)
    assert found[1, "advmod/to-head"][1] == 2  # a subtype is its relation


def test_random_maps_have_no_function_and_planted_ones_have_theirs():
    generator = torch.manual_seed(3)
    # seven words of one to three pieces: the sum favours long words, so their lengths must not go with their roles
    pieces = torch.randint(1, 4, (200, 7), generator=generator)
    words = torch.full((200, 21), -1)
    for row, counts in zip(words, pieces, strict=True):
        row[: counts.sum()] = torch.arange(7).repeat_interleave(counts)
    noise = torch.rand(200, 2, 21, 21, generator=generator) * 0.1
    subjects = [2] * 100 + [6] * 100
    weights = torch.stack(
        [
            planted(row, [[(4, subject)], []], maps)
            for row, maps, subject in zip(words, noise, subjects, strict=True)
        ]
    )
    batch = batch_of(words.tolist(), [CAT] * 100 + [LATE] * 100)
    statistic = Syntactic()
    shown(statistic, weights, batch)
    baseline = statistic.baseline().set_index("relation")["share"].to_dict()
    assert baseline["nsubj"] == baseline["obj"] == 0.5
    table = label(statistic.table(), Baselines({}, baseline, {}), FunctionSettings())
    assert set(table["count"]) == {200}
    holding = table[table["holds"]]
    assert holding[["head", "function"]].to_numpy().tolist() == [[1, "syntactic/nsubj/to-dependent"]]


def test_the_end_mark_cannot_be_the_word(two_sentences):
    weights, batch = two_sentences
    weights = weights * 0.1
    weights[0, :, :, 11] += 0.9
    weights[1, :, :, 4:] += 0.1
    assert shown(Syntactic(), weights, batch) == shown(Syntactic(), *two_sentences)


def test_baseline_is_the_most_common_offset():
    # subjects at -1, -1, -2: baseline 2/3 for both directions
    late = sentence((3, "nsubj"), (3, "advmod"), (0, "root"))
    batch = batch_of([[0, 1, 2], [0, 1, 2], [0, 1, 2]], [late, DOGS, DOGS])
    statistic = Syntactic()
    statistic.start(batch)
    baseline = statistic.baseline().set_index("relation")
    assert baseline.loc["nsubj"].tolist() == [-1, pytest.approx(2 / 3), 3]
    assert baseline.loc["advmod"].tolist() == [1, pytest.approx(2 / 3), 3]
    assert "obj" not in baseline.index


def test_baseline_is_in_words_however_they_are_split():
    split, whole = Syntactic(), Syntactic()
    split.start(batch_of([CAT_WORDS], [CAT]))
    whole.start(batch_of([[0, 1, 2, 3, 4, 5, 6, -1]], [CAT]))
    assert split.baseline().equals(whole.baseline())


def test_only_the_relations_asked_for_are_measured():
    batch = batch_of([[0, 1, 2]], [sentence((2, "nsubj:pass"), (0, "root"), (2, "dobj"))])
    weights = torch.full((1, 1, 3, 3), 1 / 3)
    assert {key for _, key in shown(Syntactic(), weights, batch)} == {"obj/to-dependent", "obj/to-head"}
    passives = Syntactic(Relations(names=("nsubj",), excluded=()))
    assert {key for _, key in shown(passives, weights, batch)} == {"nsubj/to-dependent", "nsubj/to-head"}


def test_unsplit_only(two_sentences):
    settings = SyntacticSettings(unsplit_only=True)
    found = shown(Syntactic(settings=settings), *two_sentences)
    # of all pairs only "sleep there" are both one piece
    assert {key for _, key in found} == {"advmod/to-dependent", "advmod/to-head"}
    assert found[1, "advmod/to-head"][1] == 1


def test_first_and_last_piece_for_the_word():
    words = [[0, 1, 1, -1]]
    batch = batch_of(words, [sentence((2, "nsubj"), (0, "root"))])
    weights = torch.zeros(1, 1, 4, 4)
    weights[0, 0, 1] = torch.tensor([0.6, 0.1, 0.1, 0.2])  # the first piece of the verb looks at the subject
    weights[0, 0, 2] = torch.tensor([0.1, 0.1, 0.7, 0.1])  # the last at the verb itself, more strongly
    weights[0, 0, 0] = torch.tensor([0.4, 0.0, 0.6, 0.0])  # the subject at the verb's last piece
    ways = {
        "to-dependent": {"mean": 0.0, "first": 1.0, "last": 0.0},
        "to-head": {"sum": 1.0, "first": 0.0, "last": 1.0},
    }
    for how, expected in ways["to-dependent"].items():
        found = shown(Syntactic(settings=SyntacticSettings(from_pieces=how)), weights, batch)
        assert found[1, "nsubj/to-dependent"][0] == expected, how
    for how, expected in ways["to-head"].items():
        found = shown(Syntactic(settings=SyntacticSettings(to_pieces=how)), weights, batch)
        assert found[1, "nsubj/to-head"][0] == expected, how


@pytest.mark.parametrize("from_pieces", ["mean", "first", "last"])
@pytest.mark.parametrize("to_pieces", ["sum", "first", "last"])
def test_word_maps_of_wanted_words_are_those_of_all_words(from_pieces, to_pieces):
    words = torch.tensor([CAT_WORDS, DOGS_WORDS])
    weights = torch.rand(2, 3, 12, 12, generator=torch.manual_seed(1))
    wanted = torch.tensor([[4, 2, 6], [1, -1, -1]])
    maps = WordLevel(words, words, wanted, from_pieces, to_pieces).maps(weights, slice(0, 2))
    every = to_words(weights, words, words, 7, from_pieces, to_pieces)
    torch.testing.assert_close(maps[0], every[0].transpose(0, 1)[[4, 2, 6]])
    torch.testing.assert_close(maps[1, 0], every[1].transpose(0, 1)[1])
    assert not maps[1, 1:].any()


def test_text_without_trees_or_relations_has_no_rows():
    side = batch_of([[0, 1]], [sentence((2, "det"), (0, "root"))])
    assert shown(Syntactic(), torch.full((1, 1, 2, 2), 0.5), side) == {}
