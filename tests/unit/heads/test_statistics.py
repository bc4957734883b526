"""Confidence, entropy, offsets and rare tokens on maps made by hand; padding and the end mark never leak in."""

import math

import pytest
import torch
from hand_made import table_of

from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.offsets import Offsets
from headwork.heads.statistics.rare import Frequencies, Rare, rarest_tokens
from headwork.heads.streaming.batches import Batch, Side
from headwork.settings.heads import ConfidenceSettings, EntropySettings, OffsetSettings, RareSettings

PAD, END = 0, 1


def side_of(*rows, words=None):
    """Ids of each row, padded; 0 is padding, 1 the end mark; each token is a word unless `words` says otherwise."""
    longest = max(map(len, rows))
    ids = torch.tensor([list(row) + [PAD] * (longest - len(row)) for row in rows])
    real = ids > END
    numbers = real.cumsum(1) - 1 if words is None else torch.tensor(words)
    return Side(ids, ids != PAD, real, numbers.where(real, -1))


def shown(statistic, weights, side, kind="encoder", keys=None):
    """The statistic's table, as {key: value of head 1}, after one look at the weights."""
    batch = Batch({}, {kind: side}, {kind: keys or side})
    table = table_of(statistic, weights, batch, kind)
    return {(row.statistic, row.key): (row.value, row.count) for row in table.itertuples() if row.head == 1}


def pointing(keys, size):
    """Maps of one head: query q of row b attends to keys[b][q] alone."""
    return torch.nn.functional.one_hot(torch.tensor(keys), size).float()[:, None]


class TestConfidence:
    # two queries, the end mark, padding: "6 7 </s> <pad>"
    side = side_of((6, 7, END), (6, 7, 8, END))
    weights = torch.tensor(
        [
            [[0.1, 0.3, 0.6, 0.0], [0.5, 0.4, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]],
            [[0.2, 0.2, 0.2, 0.4], [0.7, 0.1, 0.1, 0.1], [0.0, 0.0, 0.9, 0.1], [0.0, 0.0, 0.0, 1.0]],
        ]
    )[:, None]

    def test_the_end_mark_is_neither_key_nor_query(self):
        value, count = shown(Confidence(), self.weights, self.side)["confidence", ""]
        assert count == 5
        assert value == pytest.approx((0.3 + 0.5 + 0.2 + 0.7 + 0.9) / 5)

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({"drop_special_keys": False}, (0.6 + 0.5 + 0.4 + 0.7 + 0.9) / 5),
            ({"drop_special_queries": False}, (0.3 + 0.5 + 1.0 + 0.2 + 0.7 + 0.9 + 0.0) / 7),
            ({"renormalise": True}, (0.3 / 0.4 + 0.5 / 0.9 + 0.2 / 0.6 + 0.7 / 0.9 + 1) / 5),
        ],
    )
    def test_settings(self, settings, expected):
        statistic = Confidence(ConfidenceSettings(**settings))
        assert shown(statistic, self.weights, self.side)["confidence", ""][0] == pytest.approx(expected)

    def test_a_row_of_nothing_adds_nothing(self):
        weights = torch.tensor([[[0.2, 0.2, 0.6], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]])[:, None]
        statistic = Confidence(ConfidenceSettings(renormalise=True))
        assert shown(statistic, weights, side_of((6, 7, END)))["confidence", ""] == (0.25, 2)

    def test_weights_at_padding_do_not_matter(self):
        poisoned = self.weights.clone()
        poisoned[0, :, :, 3] = 5.0
        poisoned[0, :, 3] = float("nan")
        poisoned[0, :, 2] = float("nan")
        assert shown(Confidence(), poisoned, self.side) == shown(Confidence(), self.weights, self.side)
        for statistic in (Offsets(), Entropy(EntropySettings(drop_special_keys=True))):
            again = type(statistic)(statistic.settings)
            assert shown(statistic, poisoned, self.side) == shown(again, self.weights, self.side)


class TestEntropy:
    side = side_of((6, 7, END))

    def test_uniform_and_certain(self):
        uniform = torch.full((1, 1, 3, 3), 1 / 3)
        assert shown(Entropy(), uniform, self.side)["entropy", ""] == (pytest.approx(math.log(3)), 2)
        certain = pointing([[0, 2, 1]], 3)
        assert shown(Entropy(), certain, self.side)["entropy", ""][0] == pytest.approx(0)

    def test_without_special_keys_rows_are_renormalised(self):
        weights = torch.tensor([[[0.25, 0.25, 0.5], [0.2, 0.0, 0.8], [0.0, 0.0, 1.0]]])[:, None]
        statistic = Entropy(EntropySettings(drop_special_keys=True))
        assert shown(statistic, weights, self.side)["entropy", ""][0] == pytest.approx(
            math.log(2) / 2, abs=1e-6
        )

    def test_a_row_of_nothing_adds_nothing(self):
        weights = torch.tensor([[[0.25, 0.25, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]])[:, None]
        statistic = Entropy(EntropySettings(drop_special_keys=True))
        assert shown(statistic, weights, self.side)["entropy", ""] == (pytest.approx(math.log(2) / 2), 2)


class TestOffsets:
    side = side_of((6, 7, 8, 9, END), (6, 7, END))
    previous = pointing([[0, 0, 1, 2, 0], [0, 0, 0, 0, 0]], 5)

    def test_a_perfect_previous_head_has_all_of_its_cases(self):
        found = shown(Offsets(), self.previous, self.side)
        assert found["offset", "-1"] == (1.0, 4)
        assert found["offset", "0"] == (2 / 6, 6)  # the two first tokens look at themselves
        assert found["offset", "+1"] == (0.0, 4)

    @pytest.mark.parametrize("length", [2, 8, 24])
    def test_one_minus_one_over_length(self, length):
        side = side_of((*range(6, 6 + length), END))
        weights = pointing([[max(0, place - 1) for place in range(length + 1)]], length + 1)
        assert shown(Offsets(), weights, side)["offset", "-1"] == (1.0, length - 1)
        counted = shown(Offsets(OffsetSettings(edge="count")), weights, side)["offset", "-1"]
        assert counted == (pytest.approx(1 - 1 / length), length)

    def test_offsets_outside_the_window_and_the_sentence(self):
        found = shown(Offsets(OffsetSettings(window=2)), pointing([[3, 3, 3, 3, 3], [1] * 5], 5), self.side)
        assert ("offset", "+3") not in found
        assert found["offset", "+2"] == (1 / 2, 2)
        assert found["last", ""] == (1.0, 6)
        wide = shown(Offsets(OffsetSettings(window=9)), self.previous, self.side)
        assert ("offset", "+9") not in wide
        assert wide["offset", "+3"] == (0.0, 1)

    def test_the_end_mark_cannot_be_the_strongest_key(self):
        weights = 0.6 * pointing([[4] * 5, [2] * 5], 5) + 0.4 * self.previous
        assert shown(Offsets(), weights, self.side)["offset", "-1"] == (1.0, 4)

    def test_all_weight_on_special_pieces_points_at_the_first_real_token(self):
        side = side_of((END, 6, 7, END), (END, 6, 7, 8, END))
        found = shown(Offsets(), pointing([[3] * 5, [4] * 5], 5), side)
        assert found["offset", "0"] == (2 / 5, 5)
        assert found["offset", "-1"] == (2 / 3, 3)

    def test_words_as_unit(self):
        # words 0 = pieces 0 1, 1 = piece 2, 2 = pieces 3 4
        side = side_of((6, 7, 8, 9, 10, END), words=[[0, 0, 1, 2, 2, -1]])
        weights = torch.zeros(1, 1, 6, 6)
        weights[..., 0] = weights[..., 1] = 0.3  # no piece of word 0 is the strongest, but the word is
        weights[..., 2] = 0.4
        found = shown(Offsets(OffsetSettings(unit="word")), weights, side)
        assert found["offset", "-1"] == (1 / 2, 2)
        assert found["offset", "-2"] == (1.0, 1)
        assert found["offset", "0"] == (1 / 3, 3)

    def test_no_offsets_between_two_texts(self):
        other = side_of((6, 7, 8, 9, END), (6, 7, END))
        found = shown(Offsets(), self.previous, self.side, kind="cross", keys=other)
        assert {statistic for statistic, _ in found} == {"last"}

    @pytest.mark.parametrize("kind", ["encoder", "decoder"])
    def test_chance_is_what_even_attention_would_reach(self, kind):
        statistic = Offsets()
        shown(statistic, self.previous, self.side, kind=kind)
        chance = statistic.chance().set_index("key")["value"]
        if kind == "encoder":
            assert chance["-1"] == pytest.approx((3 * 1 / 4 + 1 * 1 / 2) / 4)
            assert chance["+1"] == chance["-1"]
        else:  # the second, third and fourth token see two, three and four
            assert chance["-1"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4 + 1 / 2) / 4)
            assert chance["+1"] == 0


class TestRare:
    # counts fall with the id: type 10 is the rarest, ids 2..10 have ranks 1..9
    frequencies = Frequencies(
        count=torch.tensor([0, 0, 90, 80, 70, 60, 50, 40, 30, 20, 10]),
        rank=torch.tensor([10, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        types=9,
    )

    def test_ties_all_count(self):
        found = rarest_tokens(side_of((9, 2, 9, 8, END), (5, 7, 7, 10, END)), self.frequencies, 3)
        assert found.rarest.int().tolist() == [[1, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
        assert found.two_rarest.int().tolist() == [[1, 0, 1, 0, 0], [0, 1, 1, 1, 0]]

    def test_sentences_of_frequent_types_only_are_left_out(self):
        side = side_of((2, 3, 4, END), (2, 3, 5, END), (END,))
        assert rarest_tokens(side, self.frequencies, 3).counted.tolist() == [False, True, False]
        assert rarest_tokens(side, self.frequencies, 1 / 3).counted.tolist() == [False, True, False]
        assert rarest_tokens(side, self.frequencies, 0).counted.tolist() == [True, True, False]

    def test_rates_and_chance(self):
        side = side_of((2, 10, 3, 4, END), (2, 3, END))
        weights = pointing([[1, 1, 3, 0, 0], [0, 0, 0, 0, 0]], 5)
        statistic = Rare({"encoder": self.frequencies}, RareSettings(not_among=3))
        found = shown(statistic, weights, side)
        assert found["rare", "rarest"] == (2 / 4, 4)
        assert found["rare", "two-rarest"] == (3 / 4, 4)
        assert statistic.chance()["value"].tolist() == [pytest.approx(1 / 4), pytest.approx(2 / 4)]

    def test_rare_tokens_that_look_at_themselves_may_be_left_out(self):
        side = side_of((2, 10, 3, 4, END))
        weights = pointing([[1, 1, 3, 0, 0]], 5)
        settings = RareSettings(not_among=3, exclude_self=True)
        found = shown(Rare({"encoder": self.frequencies}, settings), weights, side)
        assert found["rare", "rarest"] == (1 / 3, 3)
        assert found["rare", "two-rarest"] == (1.0, 2)

    def test_a_decoders_own_tokens_are_left_out(self):
        side = side_of((2, 10, 3, 4, END))
        statistic = Rare({"decoder": self.frequencies})
        assert shown(statistic, pointing([[1, 1, 3, 0, 0]], 5), side, kind="decoder") == {}
