"""The definitions of Clark et al. (2019), restated for single maps by plain loops, against the accumulators."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy import sparse
from transformers import BertConfig, BertForMaskedLM

from headwork.corpora.annotated.coreference import Document, Mention
from headwork.heads.coreference.antecedent_heads import Coreference
from headwork.heads.coreference.antecedents import MentionText
from headwork.heads.statistics.divergence import JensenShannon
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look
from headwork.heads.syntax.dependency import Dependency
from headwork.lens import attention
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.models.training.batches import IGNORED
from headwork.parses.conllu import Sentence, Word
from headwork.relevance.sensitivity import sensitivity
from headwork.representations.probes.dependency import AttentionAndWordsProbe, AttentionProbe
from headwork.representations.probes.word_maps import Parsed
from headwork.representations.probes.word_vectors import ppmi
from headwork.settings.heads import DependencySettings, DistanceSettings, EntropySettings, SurfaceSettings
from headwork.sites import Site

# ids: 0 padding, 1 [CLS], 2 [SEP], 3 ".", 4 ","; others are words
TABLE = TokenClasses(CLASSES, torch.tensor([3, 0, 1, 2, 2, 3, 3, 3, 3, 3]))
IDS = [[1, 5, 6, 4, 2, 7, 3, 2], [1, 8, 2, 9, 5, 2, 0, 0]]
LENGTHS = [8, 6]
HEADS = 3


def maps(seed, sites=1):
    """Random maps (site, text, head, query, key) in which padding has no weight."""
    generator = torch.manual_seed(seed)
    scores = 2 * torch.randn(sites, 2, HEADS, 8, 8, generator=generator, dtype=torch.float64)
    scores[:, 1, :, :, 6:] = -math.inf
    return scores.softmax(-1)


def batch_of(ids, words=None, sentences=None):
    ids = torch.tensor(ids)
    real = ids > 2
    words = (real.cumsum(1) - 1).where(real, -1) if words is None else torch.tensor(words)
    side = Side(ids, ids != 0, words >= 0, words, sentences)
    return Batch({}, {"encoder": side}, {"encoder": side})


def shown(statistic, weights, batch):
    """{(layer, head, statistic, key): value} after one look at each text of each site."""
    statistic.start(batch)
    for layer, site_weights in enumerate(weights, start=1):
        value = torch.zeros(len(site_weights), site_weights.shape[1], site_weights.shape[3], 1)
        looks = [
            Look(
                Attended(Site("encoder", layer), slice(row, row + 1), site_weights[row : row + 1], value),
                batch,
            )
            for row in range(len(site_weights))
        ]
        reduced = [torch.cat([reduction(look) for look in looks]) for reduction in statistic.reductions]
        statistic.update(Site("encoder", layer), *reduced)
    table = statistic.table()
    return table.set_index(["layer", "head", "statistic", "key"])["value"].to_dict()


@pytest.fixture(params=range(3))
def seed(request):
    return request.param


def test_attention_to_token_classes_and_neighbours(seed):
    """mean over texts of 1/n Σ_i Σ_{j in K} A[i, j]; [SEP] -> [SEP] divides by 2, others -> [SEP] by n - 2 (3.2)."""
    weights = maps(seed)
    found = shown(Surface(TABLE), weights, batch_of(IDS))
    for head in range(HEADS):
        for key in (*CLASSES, "sep-to-sep", "other-to-sep", "previous", "self", "next"):
            texts = []
            for ids, length, rows in zip(IDS, LENGTHS, weights[0, :, head].tolist(), strict=True):
                queries, step = range(length), {"previous": -1, "self": 0, "next": 1}.get(key)
                if key.endswith("to-sep"):
                    queries = [place for place in queries if (ids[place] == 2) == (key == "sep-to-sep")]
                total = 0.0
                for query, target in itertools.product(queries, range(length)):
                    if step is not None:
                        counts = target == query + step
                    else:
                        wanted = "sep" if key.endswith("to-sep") else key
                        counts = CLASSES[TABLE.table[ids[target]]] == wanted
                    total += rows[query][target] * counts
                texts.append(total / len(queries))
            assert found[1, head + 1, "attention", key] == pytest.approx(np.mean(texts)), key


def test_queries_without_a_neighbour_can_be_left_out(seed):
    weights = maps(seed)
    found = shown(Surface(TABLE, SurfaceSettings(edge="skip", average="tokens")), weights, batch_of(IDS))
    rows = [weights[0, text, 0].tolist() for text in range(2)]
    values = [rows[text][query][query - 1] for text in range(2) for query in range(1, LENGTHS[text])]
    assert found[1, 1, "attention", "previous"] == pytest.approx(np.mean(values))


def test_smoothed_entropy(seed):
    """H = -Σ a' ln a', a' = .9999 a + .0001 / n, averaged over queries, then texts; and of [CLS] alone (3.3)."""
    weights = maps(seed)
    settings = EntropySettings(drop_special_queries=False, smoothing=1e-4, average="sentences", first=True)
    found = shown(Entropy(settings), weights, batch_of(IDS))
    for head in range(HEADS):
        texts, first = [], []
        for length, rows in zip(LENGTHS, weights[0, :, head].tolist(), strict=True):
            smoothed = [[0.9999 * a + 0.0001 / length for a in row[:length]] for row in rows[:length]]
            values = [-sum(a * math.log(a) for a in row) for row in smoothed]
            texts.append(np.mean(values))
            first.append(values[0])
        assert found[1, head + 1, "entropy", ""] == pytest.approx(np.mean(texts))
        assert found[1, head + 1, "entropy", "first"] == pytest.approx(np.mean(first))


def test_jensen_shannon(seed):
    """JS(P, Q) = ½ KL(P ‖ M) + ½ KL(Q ‖ M), M = (P + Q) / 2, after p' = .999 p + .001 / n; mean over tokens (5)."""
    weights = maps(seed, sites=2)
    found = shown(JensenShannon(DistanceSettings()), weights, batch_of(IDS))
    heads = list(itertools.product(range(2), range(HEADS)))
    for (one, head), (two, other) in itertools.product(heads, heads):
        values = []
        for text, length in enumerate(LENGTHS):
            for query in range(length):
                p, q = (
                    [
                        0.999 * a + 0.001 / length
                        for a in weights[layer, text, number, query, :length].tolist()
                    ]
                    for layer, number in ((one, head), (two, other))
                )
                m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
                halves = [
                    sum(a * math.log(a / c) for a, c in zip(side, m, strict=True)) / 2 for side in (p, q)
                ]
                values.append(sum(halves))
        key = f"encoder {two + 1}-{other + 1}"
        assert found[one + 1, head + 1, "distance", key] == pytest.approx(np.mean(values), abs=1e-9)


WORDS = [-1, 0, 1, 1, 2, 3, 3, -1]
TREE = Sentence(
    [
        Word(f"w{place}", head=head, deprel=name)
        for place, (head, name) in enumerate([(2, "det"), (4, "nsubj"), (2, "case"), (0, "root")])
    ]
)


@pytest.mark.parametrize("from_pieces", ["mean", "first"])
def test_dependency_accuracy(seed, from_pieces):
    """Predictions argmax_j A[i, j] and argmax_j A[j, i] over other words, pieces summed and averaged (4.1, 4.2)."""
    weights = maps(seed)[:, :1]
    settings = DependencySettings(from_pieces=from_pieces)
    found = shown(Dependency(settings), weights, batch_of(IDS[:1], [WORDS], (TREE,)))
    pieces = [[place for place, word in enumerate(WORDS) if word == number] for number in range(4)]
    for head in range(HEADS):
        rows = weights[0, 0, head].tolist()
        between = [
            [
                np.mean([sum(rows[q][k] for k in w) for q in (v if from_pieces == "mean" else v[:1])])
                for w in pieces
            ]
            for v in pieces
        ]
        right = {"dependent-to-head": 0, "head-to-dependent": 0}
        for i, word in enumerate(TREE.words):
            others = [j for j in range(4) if j != i]
            guesses = {
                "dependent-to-head": max(others, key=lambda j: between[i][j]),
                "head-to-dependent": max(others, key=lambda j: between[j][i]),
            }
            for way, guess in guesses.items():
                hit = guess == word.head - 1
                right[way] += hit
                assert found[1, head + 1, "dependency", f"{word.deprel}/{way}"] == hit
        for way, hits in right.items():
            assert found[1, head + 1, "dependency", f"all/{way}"] == hits / 4


def test_coreference_accuracy(seed):
    """Right if the most attended candidate is the head of an earlier mention of the chain (4.3)."""
    mentions = [
        Mention(0, 1, 0, 7, "proper"),
        Mention(1, 2, 1, 8, "nominal"),
        Mention(3, 4, 3, 7, "pronoun"),
    ]
    document = Document("a text", ["Ann", "dogs", "saw", "she"], tuple(mentions), [{}] * 4)
    weights = maps(seed)[:, :1]
    found = shown(Coreference(), weights, batch_of(IDS[:1], [WORDS], (MentionText.of(document),)))
    pieces = [[place for place, word in enumerate(WORDS) if word == number] for number in range(4)]
    for head in range(HEADS):
        rows = weights[0, 0, head].tolist()
        to = [np.mean([sum(rows[q][k] for k in w) for q in pieces[3]]) for w in pieces]
        back = [np.mean([sum(rows[q][k] for k in pieces[3]) for q in v]) for v in pieces]
        for setting, allowed in (
            ("any-word", [0, 1, 2]),
            ("other-mentions", [0, 1]),
            ("preceding-mentions", [0, 1]),
        ):
            for way, values in (("to-antecedent", to), ("from-antecedent", back)):
                hit = max(allowed, key=lambda word: values[word]) == 0
                assert found[1, head + 1, "coreference", f"{setting}/{way}/pronoun"] == hit
                assert found[1, head + 1, "coreference", f"{setting}/{way}/all"] == hit


def test_probe_scores(seed):
    """Σ_k w_k A_k[i, j] + u_k A_k[j, i], with w, u = W [v_i; v_j] + b in the probe with words (4.4)."""
    generator = torch.manual_seed(seed)
    heads, size, words = 5, 4, 3
    parsed = Parsed(
        torch.rand(1, heads, words, words, generator=generator),
        torch.rand(1, heads, words, 2, generator=generator),
        torch.rand(1, heads, words, 2, generator=generator),
        torch.tensor([[2, 0, 2]]),
        torch.ones(1, words).bool(),
        torch.randn(1, words, size, generator=generator),
    )
    plain, worded = AttentionProbe(heads), AttentionAndWordsProbe(heads, size)
    for parameter in (*plain.parameters(), *worded.parameters()):
        torch.nn.init.normal_(parameter, generator=generator)
    w, u = plain.weights.tolist()
    big_w = torch.cat([worded.of_candidate.weight, worded.of_word.weight], dim=1)
    vectors = torch.cat([torch.zeros(1, size), parsed.vectors[0]])
    for j in range(words):
        for i in range(words + 1):

            def attends(k, other, i=i, j=j):
                """What candidate i gives to word j, and j to i; the root by way of [CLS] and [SEP]."""
                if i == 0:
                    got, given = parsed.from_special[0, k, j], parsed.to_special[0, k, j]
                    return (got @ other).item(), (given @ other).item()
                return parsed.maps[0, k, i - 1, j].item(), parsed.maps[0, k, j, i - 1].item()

            score = sum(w[k] * a + u[k] * b for k in range(heads) for a, b in [attends(k, plain.root)])
            assert plain(parsed)[0, j, i].item() == pytest.approx(score, abs=1e-5)
            both = big_w @ torch.cat([vectors[i], vectors[j + 1]]) + worded.of_word.bias
            score = sum(
                both[k] * a + both[heads + k] * b for k in range(heads) for a, b in [attends(k, worded.root)]
            )
            assert worded(parsed)[0, j, i].item() == pytest.approx(score.item(), abs=1e-5)


def test_pointwise_mutual_information():
    """max(0, ln(p(w, c) / (p(w) p(c)^.75 normalised)) - ln k) (Levy and Goldberg 2014; Levy et al. 2015)."""
    counts = np.array([[0, 4, 1], [4, 2, 0], [1, 0, 0]], dtype=float)
    found = ppmi(sparse.csr_array(counts), shift=1.2).toarray()
    total, context = counts.sum(), counts.sum(0) ** 0.75
    for word, other in itertools.product(range(3), range(3)):
        joint = counts[word, other] / total
        if not joint:
            assert found[word, other] == 0
            continue
        chance = counts[word].sum() / total * context[other] / context.sum()
        expected = max(0, math.log(joint / chance) - math.log(1.2))
        assert found[word, other] == pytest.approx(expected)


def test_sensitivity_is_the_derivative_by_each_weight(monkeypatch):
    """|∂L/∂A[i, j]| by central differences: each weight of each head is nudged by itself (3.2)."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=10,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=8,
        initializer_range=0.7,
    )
    model = BertForMaskedLM(config).double().eval()
    ids = torch.tensor([[1, 5, 4, 6, 2, 0], [1, 7, 8, 3, 9, 2]])
    labels = torch.full_like(ids, IGNORED)
    labels[0, 3], labels[1, 1], labels[1, 4] = 7, 6, 9
    side = Side(ids, ids != 0, ids > 2, ids)
    batch = Batch(
        {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels},
        {"encoder": side},
        {"encoder": side},
    )
    table = sensitivity(model, [batch], TABLE)
    found = table.set_index(["layer", "head", "key"])[["value", "count"]]

    exact, nudge, calls = attention.attention_weights, {}, []

    def nudged(*args, **kwargs):
        weights = exact(*args, **kwargs)
        calls.append(None)
        if nudge and (len(calls) - 1) % 2 == nudge["layer"]:
            weights = weights.clone()
            weights[nudge["place"]] += nudge["by"]
        return weights

    def loss_of(text):
        calls.clear()
        with Lens(model) as lens, torch.no_grad(), lens.observing(lambda attended: None):
            logits = model(ids[text : text + 1], (ids[text : text + 1] != 0).long()).logits[0]
        chosen = labels[text] != IGNORED
        losses = -logits.log_softmax(-1)[chosen, labels[text][chosen]]
        return losses.mean().item()

    monkeypatch.setattr(attention, "attention_weights", nudged)
    step = 1e-5
    for layer, head in itertools.product(range(2), range(2)):
        by_class = {key: [] for key in ("unmasked", *CLASSES)}
        for text in range(2):
            length = int((ids[text] != 0).sum())
            slopes = np.zeros((length, length))
            for query, key in np.ndindex(slopes.shape):
                sides = []
                for by in (step, -step):
                    nudge.update(layer=layer, place=(0, head, query, key), by=by)
                    sides.append(loss_of(text))
                slopes[query, key] = abs(sides[0] - sides[1]) / (2 * step)
            nudge.clear()
            for name, values in by_class.items():
                keys = [
                    key
                    for key in range(length)
                    if labels[text, key] == IGNORED
                    and name in ("unmasked", CLASSES[TABLE.table[ids[text, key]]])
                ]
                if keys:
                    values.append(slopes[:, keys].mean())
        for name, values in by_class.items():
            value, count = found.loc[(layer + 1, head + 1, name)]
            assert count == len(values)
            assert value == pytest.approx(np.mean(values), rel=1e-5, abs=1e-9), (layer, head, name)
