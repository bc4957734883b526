"""The five patterns: planted maps are told apart, padding does not matter, and shares are those of their equations."""

import numpy as np
import pytest
import torch
from hand_made import table_of

from headwork.heads.patterns.rules import CLEAR, PATTERNS, RulePatterns, classes, clear_cut, shares
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.settings.heads import PatternSettings

SETTINGS = PatternSettings()
LENGTH, SECOND = 24, 13  # [CLS], eleven pieces and [SEP], then ten pieces and [SEP]


def planted(length=LENGTH, second=SECOND):
    """A map of each class, in the order of `PATTERNS`."""
    even = torch.full((length, length), 1 / length)
    vertical = torch.zeros(length, length)
    vertical[:, [second - 1, length - 1]] = 0.5
    diagonal = torch.eye(length).roll(1, 1)
    parts = torch.arange(length) >= second
    block = (parts[:, None] == parts[None]).float()
    return torch.stack(
        [vertical, diagonal, 0.5 * vertical + 0.5 * diagonal, block / block.sum(1, keepdim=True), even]
    )


def padded(maps, size):
    """The maps in the corner of larger ones, whose padding queries attend evenly to what is there."""
    found = torch.zeros(len(maps), size, size)
    found[:, :, : maps.shape[1]] = 1 / maps.shape[1]
    found[:, : maps.shape[1], : maps.shape[1]] = maps
    return found


def of(length, second, size):
    place = torch.arange(size)[None]
    return place < length, (place >= second).long() * (place < length)


@pytest.mark.parametrize("size", [LENGTH, LENGTH + 5])
@pytest.mark.parametrize(("length", "second"), [(LENGTH, SECOND), (40, 15)])
def test_planted_maps_are_told_apart(length, second, size):
    size += length - LENGTH
    maps = padded(planted(length, second), size)[None]
    found = shares(maps, *of(length, second, size), SETTINGS)
    assert [PATTERNS[number] for number in classes(found, SETTINGS)[0]] == list(PATTERNS)
    assert clear_cut(found, SETTINGS).all()


def test_shares_are_those_of_the_equations():
    """Restated with loops, on random sharp maps of a text of two parts."""
    torch.manual_seed(0)
    maps = (torch.randn(1, 6, LENGTH, LENGTH) * 3).softmax(-1)
    present, parts = of(20, SECOND, LENGTH)
    maps = maps * present[:, None, None]
    maps = maps / maps.sum(-1, keepdim=True)
    found = shares(maps, present, parts, SETTINGS)
    n = 20
    for head, weights in enumerate(maps[0].double().numpy()):
        weights = weights[:n, :n]
        columns = weights.mean(0)
        stripes = columns >= max(SETTINGS.stripe, SETTINGS.above_even / n)
        near = sum(weights[i, j] for i in range(n) for j in range(n) if abs(i - j) <= 1 and not stripes[j])
        part = np.arange(n) >= SECOND
        rest = weights * ~stripes
        within = sum(rest[i, j] for i in range(n) for j in range(n) if part[i] == part[j]) / rest.sum()
        even = np.mean([(~stripes & (part == part[i])).sum() / (~stripes).sum() for i in range(n)])
        block = (within - even) / (1 - even) if rest.sum() / n >= SETTINGS.most else 0
        entropies, highest = 0.0, 0.0
        for i in range(n):
            own = rest[i, (part == part[i]) & ~stripes]
            if own.sum():
                shares_of_row = own / own.sum()
                entropies -= own.sum() * (shares_of_row * np.log(shares_of_row)).sum()
                highest += own.sum() * np.log(len(own))
        expected = [columns[stripes].sum(), near / n, block, entropies / highest]
        assert found[0, head].tolist() == pytest.approx(expected, abs=1e-5)


def test_a_text_of_one_part_has_no_block():
    present, parts = of(LENGTH, SECOND, LENGTH)
    block = planted()[None, 3:4]
    assert shares(block, present, parts, SETTINGS)[0, 0, 2] == pytest.approx(1)
    assert shares(block, present, torch.zeros_like(parts), SETTINGS)[0, 0, 2] == 0


def test_a_wide_diagonal_is_no_block():
    """Five places wide it stays in its own part, but is not spread over it."""
    place = torch.arange(LENGTH)
    parts = place >= SECOND
    wide = ((place[:, None] - place).abs() <= 2) & (parts[:, None] == parts)
    wide = wide.float() / wide.sum(1, keepdim=True)
    found = shares(wide[None, None], *of(LENGTH, SECOND, LENGTH), SETTINGS)
    assert found[0, 0, 2] == pytest.approx(1)
    assert 0.5 < found[0, 0, 3] < SETTINGS.broad
    assert PATTERNS[classes(found, SETTINGS)[0, 0]] != "block"


def test_a_map_near_a_threshold_is_not_clear_cut():
    found = torch.tensor([[[0.52, 0.0, 0.0, 1.0], [0.9, 0.0, 0.0, 1.0], [0.45, 0.0, 0.0, 1.0]]])
    assert [PATTERNS[number] for number in classes(found, SETTINGS)[0]] == [
        "vertical",
        "vertical",
        "heterogeneous",
    ]
    assert clear_cut(found, SETTINGS)[0].tolist() == [False, True, False]


def test_shares_of_classes_are_counted_over_texts_and_sum_to_one():
    ids = torch.randint(5, 20, (2, LENGTH))
    side = Side(ids, torch.ones_like(ids).bool(), torch.ones_like(ids).bool(), ids)
    batch = single_batch(side, "encoder")
    types = (torch.arange(LENGTH) >= SECOND).long().expand(2, -1)
    batch = Batch({**batch.inputs, "token_type_ids": types}, batch.queries, batch.keys)
    maps = torch.stack([planted(), planted().roll(1, 0)])
    table = table_of(RulePatterns(), maps, batch)
    assert table["count"].eq(2).all()
    found = table.pivot(index="head", columns="key", values="value")
    assert found[list(PATTERNS)].sum(axis=1).tolist() == [1] * 5
    assert found.loc[2, "vertical"] == found.loc[2, "diagonal"] == 0.5
    assert found[CLEAR].eq(1).all()


def test_even_and_random_attention_is_heterogeneous():
    torch.manual_seed(1)
    maps = torch.randn(3, 4, 25, 25).softmax(-1)
    found = shares(maps, torch.ones(3, 25).bool(), torch.zeros(3, 25).long(), SETTINGS)
    assert (classes(found, SETTINGS) == PATTERNS.index("heterogeneous")).all()
