"""The stream of a few rows at a time equals plain loops over `output_attentions`, on a tiny Marian with padding."""

import math

import numpy as np
import pytest
import torch
from hand_made import ending_tokenizer, side_of_ids
from tiny_bert import tiny_bert, tiny_marian

from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.offsets import Offsets
from headwork.heads.statistics.rare import Frequencies, Rare
from headwork.heads.streaming.batches import Side, single_batch, translation_batch
from headwork.heads.streaming.measure import measure
from headwork.heads.syntax.syntactic import Syntactic
from headwork.lens import attention
from headwork.parses.conllu import Sentence, Word
from headwork.settings.heads import RareSettings

VOCABULARY = 40
LENGTHS = [9, 4, 7, 2, 9]


def text(lengths, seed):
    """Random ids as words of one or two pieces, an end mark, padding; random trees in which everything is a subject."""
    generator = np.random.default_rng(seed)
    longest = max(lengths) + 1
    ids, words, trees = np.zeros((len(lengths), longest), int), np.full((len(lengths), longest), -1), []
    for row, length in enumerate(lengths):
        ids[row, :length] = generator.integers(3, VOCABULARY, length)
        ids[row, length] = 1
        words[row, :length] = np.cumsum(generator.random(length) < 0.6)
        words[row, :length] -= words[row, 0]
        count = words[row].max() + 1
        heads = [0, *(int(generator.integers(1, place + 1)) for place in range(1, count))]
        trees.append(
            Sentence([Word(f"w{place}", head=head, deprel="nsubj") for place, head in enumerate(heads)])
        )
    words = torch.from_numpy(words)
    ids = torch.from_numpy(ids)
    return Side(ids, ids != 0, words >= 0, words, tuple(trees))


@pytest.fixture(scope="module")
def marian():
    shape = {"encoder_attention_heads": 4, "decoder_layers": 2, "init_std": 1.0, "eos_token_id": 1}
    return tiny_marian(ending_tokenizer([f"w{number}" for number in range(3, VOCABULARY)]), **shape)


@pytest.fixture(scope="module")
def batch():
    return translation_batch(text(LENGTHS, 1), text([5, 3, 8, 6, 1], 2), decoder_start=0)


@pytest.fixture(scope="module")
def frequencies():
    count = torch.randint(0, 30, (VOCABULARY,), generator=torch.manual_seed(5))
    rank = torch.tensor([1 + sum(other > one for other in count) for one in count])
    return Frequencies(count, rank, VOCABULARY)


def statistics(frequencies):
    return [
        Confidence(),
        Entropy(),
        Offsets(),
        Syntactic(),
        Rare({"encoder": frequencies, "cross": frequencies}, RareSettings(not_among=5)),
    ]


def maps_of(model, batch):
    """Each site's weights as the model itself returns them: {kind: (layer, batch, head, query, key)}."""
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model(**batch.inputs, output_attentions=True)
    model.set_attn_implementation("sdpa")
    found = {
        "encoder": out.encoder_attentions,
        "decoder": out.decoder_attentions,
        "cross": out.cross_attentions,
    }
    return {kind: torch.stack(maps).double().numpy() for kind, maps in found.items()}


def by_plain_loops(maps, batch, frequencies):
    """{(kind, layer, head, statistic, key): values} by loops over sentences, heads and queries."""
    values = {}

    def add(*place, value):
        values.setdefault(place, []).append(float(value))

    for kind, layers in maps.items():
        queries, keys = batch.queries[kind], batch.keys[kind]
        count, rank = frequencies.count.numpy(), frequencies.rank.numpy()
        for layer, row, head in np.ndindex(layers.shape[:3]):
            weights, place = layers[layer, row, head], (kind, layer + 1, head + 1)
            real_queries = np.flatnonzero(queries.real[row].numpy())
            real_keys = np.flatnonzero(keys.real[row].numpy())
            ids = keys.ids[row].numpy()
            counts = sorted(count[ids[real_keys]])
            for query in real_queries:
                best = max(real_keys, key=lambda key: weights[query, key])
                add(*place, "confidence", "", value=weights[query, best])
                add(*place, "entropy", "", value=-sum(w * math.log(w) for w in weights[query] if w > 0))
                add(*place, "last", "", value=best == real_keys[-1])
                if kind != "cross":
                    for offset in range(-5, 6):
                        if query + offset in real_keys:
                            key = f"{offset:+d}" if offset else "0"
                            add(*place, "offset", key, value=best - query == offset)
                if kind != "decoder" and max(rank[ids[real_keys]]) > 5:
                    add(*place, "rare", "rarest", value=count[ids[best]] <= counts[0])
                    add(
                        *place,
                        "rare",
                        "two-rarest",
                        value=count[ids[best]] <= counts[min(1, len(counts) - 1)],
                    )
            if kind == "encoder":
                words = queries.words[row].numpy()
                size = words.max() + 1
                between = np.array(
                    [
                        [weights[words == one][:, words == other].sum(1).mean() for other in range(size)]
                        for one in range(size)
                    ]
                )
                for number, word in enumerate(queries.sentences[row].words):
                    if word.head:
                        parent = word.head - 1
                        add(*place, "syntactic", "nsubj/to-head", value=between[number].argmax() == parent)
                        add(
                            *place,
                            "syntactic",
                            "nsubj/to-dependent",
                            value=between[parent].argmax() == number,
                        )
    return values


@pytest.mark.parametrize("rows_at_once", [1, 2, 5])
def test_equals_plain_loops(marian, batch, frequencies, rows_at_once, monkeypatch):
    row = 4 * 4 * 10 * 10  # bytes of one sentence's encoder weights
    monkeypatch.setitem(attention.CHUNK_BYTES, "cpu", rows_at_once * row)
    table = measure(marian, [batch], statistics(frequencies))
    expected = by_plain_loops(maps_of(marian, batch), batch, frequencies)
    found = {tuple(row[:5]): row[5:] for row in table.itertuples(index=False)}
    assert set(found) == set(expected)
    for place, values in expected.items():
        assert found[place][1] == len(values), place
        assert found[place][0] == pytest.approx(np.mean(values), abs=1e-5), place


def test_batches_add_up_and_padding_never_leaks_in(marian, frequencies):
    """Five sentences one by one, without any padding, give what they give together, with it."""
    source, target = text(LENGTHS, 1), text([5, 3, 8, 6, 1], 2)

    def alone(side, row):
        length = int(side.present[row].sum())
        parts = (tensor[row : row + 1, :length] for tensor in (side.ids, side.present, side.real, side.words))
        return Side(*parts, sentences=side.sentences[row : row + 1])

    apart = [translation_batch(alone(source, row), alone(target, row), 0) for row in range(5)]
    together = measure(marian, [translation_batch(source, target, 0)], statistics(frequencies))
    one_by_one = measure(marian, apart, statistics(frequencies))
    names = ["kind", "layer", "head", "statistic", "key", "count"]
    assert together[names].equals(one_by_one[names])
    np.testing.assert_allclose(together["value"], one_by_one["value"], atol=1e-5)


def test_kinds_can_be_chosen_and_the_model_is_left_as_it_was(marian, batch):
    marian.train()
    table = measure(marian, [batch], [Confidence()], kinds=["encoder"])
    assert marian.training
    marian.eval()
    assert set(table["kind"]) == {"encoder"}
    assert len(table) == 2 * 4
    assert table["count"].eq(sum(LENGTHS)).all()


def test_an_encoder_with_marks_on_both_sides():
    """BERT's [CLS] and [SEP] are no tokens: the first token of text has no previous one."""
    model = tiny_bert(range(VOCABULARY), num_hidden_layers=1).base_model
    side = side_of_ids(torch.tensor([[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]))
    table = measure(model, [single_batch(side, "encoder")], [Confidence(), Offsets()])
    counts = table[table["head"] == 1].set_index(["statistic", "key"])["count"]
    assert counts["confidence", ""] == 4
    assert counts["offset", "-1"] == 2
    assert counts["offset", "0"] == 4
    found = table[(table["head"] == 2) & (table["statistic"] == "offset")]
    # every query's strongest real key is in the window
    assert (found["value"] * found["count"]).sum() == pytest.approx(4)


def test_text_without_any_special_piece(marian):
    """Nothing is masked then; the last token counts like any other."""
    ids = torch.randint(3, VOCABULARY, (3, 6), generator=torch.manual_seed(1))
    every = torch.ones_like(ids).bool()
    side = Side(ids, every, every, torch.arange(6).expand_as(ids))
    encoder = marian.get_encoder()
    table = measure(encoder, [single_batch(side, "encoder")], [Confidence(), Offsets()])
    encoder.set_attn_implementation("eager")
    with torch.no_grad():
        first = encoder(ids, output_attentions=True).attentions[0]
    encoder.set_attn_implementation("sdpa")
    values = table[table["layer"] == 1].set_index(["statistic", "key", "head"])["value"]
    for head in range(4):
        weights = first[:, head]
        assert values["confidence", "", head + 1] == pytest.approx(weights.amax(-1).mean().item(), abs=1e-6)
        at_last = (weights.argmax(-1) == 5).double().mean().item()
        assert values["last", "", head + 1] == pytest.approx(at_last)
