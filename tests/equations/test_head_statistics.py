"""The papers' definitions of head statistics, restated for one map and one sentence, against the accumulators."""

import math

import pytest
import torch

from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.functions import Baselines, label
from headwork.heads.statistics.offsets import Offsets
from headwork.heads.statistics.rare import Frequencies, Rare
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look
from headwork.heads.syntax.syntactic import Syntactic
from headwork.lens.attention import Attended
from headwork.parses.conllu import Sentence, Word
from headwork.settings.heads import FunctionSettings, OffsetSettings, RareSettings
from headwork.sites import Site

LENGTH = 7
WORDS = [0, 1, 1, 2, 3, 3, 4]
TREE = Sentence(
    [
        Word(f"w{place}", head=head, deprel=name)
        for place, (head, name) in enumerate(
            [(2, "amod"), (3, "nsubj"), (0, "root"), (5, "amod"), (3, "obj")], start=1
        )
    ]
)
IDS = [5, 9, 3, 4, 9, 6, 8]
COUNTS = {3: 900, 4: 800, 5: 700, 6: 60, 8: 9, 9: 50}


def one_head(statistic, seed):
    """A random map without end mark, and the statistic's values by key."""
    generator = torch.manual_seed(seed)
    weights = (3 * torch.randn(1, 1, LENGTH, LENGTH, generator=generator, dtype=torch.float64)).softmax(-1)
    real = torch.ones(1, LENGTH).bool()
    side = Side(torch.tensor([IDS]), real, real, torch.tensor([WORDS]), (TREE,))
    batch = Batch({}, {"encoder": side}, {"encoder": side})
    statistic.start(batch)
    value = torch.zeros(1, 1, LENGTH, 1)
    look = Look(Attended(Site("encoder", 1), slice(0, 1), weights, value), batch)
    statistic.update(look.site, *(reduction(look) for reduction in statistic.reductions))
    table = statistic.table()
    return weights[0, 0].tolist(), table.set_index(["statistic", "key"])["value"].to_dict()


@pytest.fixture(params=range(5))
def seed(request):
    return request.param


def test_confidence(seed):
    """conf = 1/|Q| Σ_q max_k A[q, k] (Voita et al. 2019, section 4)."""
    weights, found = one_head(Confidence(), seed)
    assert found["confidence", ""] == pytest.approx(sum(max(row) for row in weights) / LENGTH)


def test_entropy(seed):
    """H = 1/|Q| Σ_q -Σ_k A[q, k] ln A[q, k] (Clark et al. 2019, section 3.3)."""
    weights, found = one_head(Entropy(), seed)
    expected = sum(-sum(weight * math.log(weight) for weight in row) for row in weights) / LENGTH
    assert found["entropy", ""] == pytest.approx(expected)


@pytest.mark.parametrize("edge", ["skip", "count"])
def test_offsets(seed, edge):
    """share(d) = #{q: argmax_k A[q, k] = q + d} / #{q: q + d is a token}, or / #Q (Voita et al. 2019, section 5.1)."""
    weights, found = one_head(Offsets(OffsetSettings(window=3, edge=edge)), seed)
    strongest = [row.index(max(row)) for row in weights]
    for offset in range(-3, 4):
        hits = sum(key == query + offset for query, key in enumerate(strongest))
        cases = LENGTH if edge == "count" else LENGTH - abs(offset)
        assert found["offset", f"{offset:+d}" if offset else "0"] == pytest.approx(hits / cases)
    assert found["last", ""] == pytest.approx(strongest.count(LENGTH - 1) / LENGTH)


def test_syntactic(seed):
    """A[v, w] = mean_{q in v} Σ_{k in w} A[q, k]; accuracy = #{argmax_w A[v, w] = other} / #instances (section 5.2)."""
    weights, found = one_head(Syntactic(), seed)
    pieces = [[place for place, word in enumerate(WORDS) if word == number] for number in range(5)]
    between = [
        [sum(sum(weights[q][k] for k in pieces[w]) for q in pieces[v]) / len(pieces[v]) for w in range(5)]
        for v in range(5)
    ]
    strongest = [row.index(max(row)) for row in between]
    # (dependent, head) in words from 0
    instances = {"amod": [(0, 1), (3, 4)], "nsubj": [(1, 2)], "obj": [(4, 2)]}
    for relation, pairs in instances.items():
        to_head = sum(strongest[dependent] == head for dependent, head in pairs) / len(pairs)
        to_dependent = sum(strongest[head] == dependent for dependent, head in pairs) / len(pairs)
        assert found["syntactic", f"{relation}/to-head"] == pytest.approx(to_head)
        assert found["syntactic", f"{relation}/to-dependent"] == pytest.approx(to_dependent)


@pytest.mark.parametrize("exclude_self", [False, True])
def test_rare(seed, exclude_self):
    """rate = #{q: argmax_k A[q, k] is (one of two) least frequent} / #Q (Voita et al. 2019, section 5.3)."""
    count = torch.zeros(10, dtype=torch.int64)
    for piece, number in COUNTS.items():
        count[piece] = number
    rank = torch.tensor([1 + sum(other > one for other in count.tolist()) for one in count.tolist()])
    statistic = Rare(
        {"encoder": Frequencies(count, rank, 10)}, RareSettings(not_among=3, exclude_self=exclude_self)
    )
    weights, found = one_head(statistic, seed)
    strongest = [row.index(max(row)) for row in weights]
    # the rarest token is 8, the second rarest 9, which stands there twice
    for key, rare in (("rarest", {8}), ("two-rarest", {8, 9})):
        queries = [query for query in range(LENGTH) if not (exclude_self and IDS[query] in rare)]
        rate = sum(IDS[strongest[query]] in rare for query in queries) / len(queries)
        assert found["rare", key] == pytest.approx(rate)
        chance = statistic.chance().set_index("key")["value"][key]
        assert chance == pytest.approx(sum(IDS.count(piece) for piece in rare) / LENGTH)


def test_functions_of_a_random_head_are_those_the_rules_give(seed):
    """positional: share >= 0.9; syntactic: accuracy - baseline >= 0.1 (papers' sections 5.1, 5.2)."""
    settings = FunctionSettings(min_instances=1)
    syntactic = Syntactic()
    one_head(syntactic, seed)
    table = syntactic.table()
    # each relation's instances: amod -1 -1, nsubj -1, obj +2: every baseline is 1
    baseline = syntactic.baseline().set_index("relation")["share"].to_dict()
    assert baseline == {"amod": 1, "nsubj": 1, "obj": 1}
    halved = {relation: share / 2 for relation, share in baseline.items()}
    for shares in (baseline, halved):
        for row in label(table, Baselines({}, shares, {}), settings).itertuples():
            relation = row.function.split("/")[1]
            assert row.holds == (row.score - shares[relation] >= 0.1)
