"""Alignments from cross-attention: the map that copies the gold has no error, and everything restated word by word."""

import pytest
import torch
from hand_made import ending_tokenizer, look
from tiny_bert import tiny_marian
from tokenizers.pre_tokenizers import Punctuation, Sequence, WhitespaceSplit

from headwork.corpora.annotated.alignments import AlignedPair, Links
from headwork.heads.alignments.word_alignments import (
    Alignments,
    aligned_batches,
    rates,
    score,
    soft_alignments,
)
from headwork.heads.norms.vector_norms import VectorNorms, gram_roots, summed_norms, transformed_norms
from headwork.heads.streaming.batches import single_batch
from headwork.heads.streaming.measure import measure
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.lens.values import reading_values
from headwork.sites import Site

# words with hyphens are three pieces
PAIRS = [
    ("the cat-dog sleeps", "chat-chien dort", {(1, 0), (2, 1)}, {(0, 0)}),
    ("now", "il dort maintenant", {(0, 2)}, set()),
    ("dog sees the cat now", "le-chien voit-maintenant le-chat", {(0, 0), (1, 1), (3, 2)}, {(2, 2), (4, 1)}),
]
HEADS = 2


def links(sure, possible):
    return Links(frozenset(sure), frozenset(sure | possible))


GOLD = [AlignedPair(s.split(), t.split(), links(sure, possible)) for s, t, sure, possible in PAIRS]


@pytest.fixture(scope="module")
def tokenizer():
    pieces = {
        piece for source, target, *_ in PAIRS for piece in f"{source} {target}".replace("-", " - ").split()
    }
    return ending_tokenizer(sorted(pieces), Sequence([WhitespaceSplit(), Punctuation()]))


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny_marian(tokenizer, decoder_layers=2, init_std=0.7, eos_token_id=1)


def batches(model, tokenizer, tokens=1000, pairs=GOLD):
    return aligned_batches(pairs, tokenizer, model.config.decoder_start_token_id, tokens)


def pieces(sentence, tokenizer):
    """The word of each piece of a sentence, -1 for the end mark."""
    return [word for word, text in enumerate(sentence) for _ in text.replace("-", " - ").split()] + [-1]


def linked(alpha, source, target, shift):
    """The links of a map (query, key): each target word's strongest source word, none if that is the end mark.

    Piece t of the target has row t + shift.
    """
    found = set()
    for word in sorted(set(target) - {-1}):
        rows = [alpha[place + shift] for place, owner in enumerate(target) if owner == word]
        mean = torch.stack(rows).mean(0)
        to = {w: sum(mean[k].item() for k, owner in enumerate(source) if owner == w) for w in set(source)}
        best = max(to, key=to.get)
        if best != -1:
            found.add((best, word))
    return found


def test_error_rates_restated(model, tokenizer):
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), A by arg-max over words, for α, ‖α f‖, mean α and ‖Σ α f‖."""
    vectors = VectorNorms(model)
    with vectors.reading():
        table = measure(model, batches(model, tokenizer, tokens=12), [Alignments(vectors)])
    table = table.set_index(["layer", "head", "statistic", "key"])["value"]
    links_of = {}
    for pair in GOLD:
        (batch,) = batches(model, tokenizer, pairs=[pair])
        source, target = (pieces(words, tokenizer) for words in (pair.source, pair.target))
        values, maps = {}, {}
        sites = anatomy(model).sites
        with (
            torch.no_grad(),
            Lens(model) as lens,
            reading_values(sites.values(), lambda site, _, value, into=values: into.update({site: value})),
            lens.observing(lambda seen, into=maps: into.update({seen.site: seen.weights})),
        ):
            model(**batch.inputs)
        for site in (Site("cross", 1), Site("cross", 2)):
            output = sites[site].output_weight().detach()
            norms = maps[site] * transformed_norms(values[site], gram_roots(output))[:, :, None]
            of = {("weight", head + 1): maps[site][0, head] for head in range(HEADS)}
            of |= {("norm", head + 1): norms[0, head] for head in range(HEADS)}
            of["weight", 0] = maps[site][0].mean(0)
            of["norm", 0] = summed_norms(maps[site], values[site], output)[0]
            for (measure_, head), alpha in of.items():
                for shift, setting in enumerate(("output", "input")):
                    place = site.layer, head, f"{setting}/{measure_}"
                    links_of.setdefault(place, []).append(linked(alpha, source, target, shift))
    assert len(links_of) == 2 * (HEADS + 1) * 4
    for (layer, head, key), found in links_of.items():
        hits = sum(len(a & p.links.sure) for a, p in zip(found, GOLD, strict=True))
        possible = sum(len(a & p.links.possible) for a, p in zip(found, GOLD, strict=True))
        size, sure = sum(map(len, found)), sum(len(pair.links.sure) for pair in GOLD)
        assert table[layer, head, "aer", key] == pytest.approx(1 - (hits + possible) / (size + sure))
        assert table[layer, head, "recall", key] == pytest.approx(hits / sure)
        if size:
            assert table[layer, head, "precision", key] == pytest.approx(possible / size)
        assert score(found, [pair.links for pair in GOLD]).aer == pytest.approx(
            table[layer, head, "aer", key]
        )
    assert len({table[layer, head, "aer", key] for layer, head, key in links_of}) > 3


def test_mass_of_weights_is_what_the_end_mark_leaves(model, tokenizer):
    (batch,) = batches(model, tokenizer, pairs=GOLD[:1])
    for _, maps in soft_alignments(model, batch):
        assert maps.shape == (2, 2 * (HEADS + 1), 2, 4)
        torch.testing.assert_close(maps[:, : HEADS + 1].sum(-1), torch.ones(2, HEADS + 1, 2))
        assert (maps[:, HEADS + 1 :] > 0).all()
        # vectors of several heads may cancel, and never add up to more than their lengths
        assert (maps[:, -1] <= maps[:, HEADS + 1 : -1].sum(1) * 1.0001).all()


@pytest.mark.parametrize(("setting", "shift"), [("output", 0), ("input", 1)])
def test_maps_that_copy_the_gold_are_without_error(tokenizer, model, setting, shift):
    """A head whose rows point at the gold source word, in the row that the setting reads."""
    (batch,) = batches(model, tokenizer)
    vectors = VectorNorms(model)
    alignments = Alignments(vectors)
    site = Site("cross", 1)
    source, target = batch.keys["cross"], batch.queries["cross"]
    weights = torch.full((3, HEADS, target.ids.shape[1], source.ids.shape[1]), 1e-6)
    for row, known in enumerate(batch.links):
        words = [*target.words[row].tolist()[1:], -1] if setting == "output" else target.words[row].tolist()
        for query, word in enumerate(words):
            of_word = [i for i, j in sorted(known.sure) if j == word]
            place = source.words[row].tolist().index(of_word[0] if of_word else -1)
            weights[row, :, query, place] = 1
    with torch.no_grad(), vectors.reading(), Lens(model):
        model(**batch.inputs)
        vectors._values = site, torch.ones(3, HEADS, source.ids.shape[1], 8)
        alignments.start(batch)
        look(alignments, weights, batch, "cross")
    found = alignments.table().set_index(["head", "statistic", "key"])["value"]
    assert found[1, "aer", f"{setting}/weight"] == 0
    assert found[1, "precision", f"{setting}/weight"] == found[0, "recall", f"{setting}/weight"] == 1
    other = {"output": "input", "input": "output"}[setting]
    assert found[1, "aer", f"{other}/weight"] > 0


def test_rates_by_hand():
    """4 links, of which 3 possible and 2 sure, of 3 sure ones: AER = 1 - (2 + 3) / (4 + 3)."""
    assert rates(4, 3, 2, 3) == pytest.approx((3 / 4, 2 / 3, 2 / 7))
    gold = links({(0, 0), (1, 1), (2, 2)}, {(0, 1)})
    assert score([{(0, 0), (1, 1), (0, 1), (2, 0)}], [gold]) == pytest.approx((3 / 4, 2 / 3, 2 / 7))
    assert score([set()], [gold]).aer == 1


def test_long_pairs_are_left_out(model, tokenizer):
    chosen = aligned_batches(GOLD, tokenizer, 0, 1000, longest=7)
    assert sum(len(batch.links) for batch in chosen) == 2


def test_a_model_that_reads_one_text_has_no_alignments(model, tokenizer):
    (batch,) = batches(model, tokenizer)
    assert not single_batch(batch.keys["cross"], "encoder").same_text("cross")
    vectors = VectorNorms(model)
    with vectors.reading():
        table = measure(model, [batch], [Alignments(vectors)])
    assert set(table["kind"]) == {"cross"}
