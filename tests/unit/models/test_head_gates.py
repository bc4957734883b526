"""Gates as a training uses them."""

import pytest
import torch
from toy_corpus import ARCHITECTURE, tokenizer_of, write_corpus

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import FixedGates, LearnedGates, heads_with_gates
from headwork.settings.models import GateSettings
from headwork.sites import KINDS, Site

HEADS = {Site("encoder", 1): 2, Site("cross", 1): 3}


def learned(log_a, **choices):
    gates = LearnedGates(HEADS, GateSettings(), 0, **choices)
    with torch.no_grad():
        gates.gates.log_a.copy_(torch.tensor(log_a))
    return gates


def test_numbers_go_to_their_sites():
    log_a = [-5.0, 5.0, 0.1, -0.1, 5.0]
    gates = learned(log_a)
    kept = {Site("encoder", 1): [0, 1], Site("cross", 1): [1, 0, 1]}
    assert {site: gate.tolist() for site, gate in gates.kept().items()} == kept
    drawn = gates.draw()
    assert [len(gate) for gate in drawn.values()] == [2, 3]
    assert drawn[Site("encoder", 1)].tolist() == [0, 1]
    table = gates.table()
    assert table["kind"].tolist() == ["encoder"] * 2 + ["cross"] * 3
    assert table["head"].tolist() == [1, 2, 1, 2, 3]
    assert table["kept"].tolist() == [0, 1, 1, 0, 1]
    assert table["log_a"].tolist() == pytest.approx(log_a)
    assert ((table["p_open"] > table["p_closed"]) == table["kept"].astype(bool)).all()
    of_kinds = {"encoder": {"heads": 2, "kept": 1}, "cross": {"heads": 3, "kept": 2}}
    assert gates.facts() == of_kinds | {"undecided": 2}


def test_every_batch_has_a_draw_of_its_own():
    gates = LearnedGates(HEADS, GateSettings(initial=0.0), 0)
    first, second = (torch.cat(list(gates.draw().values())) for _ in range(2))
    assert not torch.equal(first, second)


def test_a_target_keeps_the_highest():
    gates = learned([0.3, -5.0, -0.1, -0.2, 4.0], target=3)
    assert torch.cat(list(gates.kept().values())).tolist() == [1, 0, 1, 0, 1]


BEFORE = {Site("encoder", 1): torch.tensor([1.0, 0.0]), Site("cross", 1): torch.tensor([1.0, 1.0, 0.0])}


def test_heads_closed_by_an_earlier_pruning_stay_closed():
    gates = learned([0.3, 5.0, -0.1, -0.2, 4.0], target=2, before=BEFORE)
    assert torch.cat(list(gates.kept().values())).tolist() == [1, 0, 1, 0, 0]
    assert (torch.cat(list(gates.draw().values()))[[1, 4]] == 0).all()
    # the constraint counts the three heads that may close: x = (sum of P(g != 0) - target) / 3
    open_heads = gates.gates.p_not_closed()[[0, 2, 3]].sum()
    with torch.no_grad():
        gates.multipliers.copy_(torch.tensor([2.0, 3.0]))
    x = (open_heads - 2) / 3
    torch.testing.assert_close(gates.cost(), 2 * x + 3 * x**2)
    gates.cost().backward()
    assert (gates.gates.log_a.grad[[1, 4]] == 0).all()
    table = gates.table()
    assert table["kept"].tolist() == [1, 0, 1, 0, 0]
    assert table["p_closed"].tolist()[1::3] == [1, 1]
    assert table["p_open"].tolist()[1::3] == [0, 0]
    assert table["log_a"].isna().tolist() == [False, True, False, False, True]


def test_a_penalty_counts_the_heads_that_are_left():
    gates = learned([0.3, 5.0, -0.1, -0.2, 4.0], penalty=0.5, before=BEFORE)
    torch.testing.assert_close(gates.cost(), 0.5 * gates.gates.p_not_closed()[[0, 2, 3]].sum())
    assert torch.cat(list(gates.kept().values())).tolist() == [1, 0, 0, 0, 0]


def test_an_earlier_pruning_that_does_not_fit():
    with pytest.raises(InputError, match="gates of other heads"):
        learned([0.0] * 5, before={Site("encoder", 1): torch.ones(2)})
    with pytest.raises(InputError, match="4 heads are to be kept, but 3 have gates that may close"):
        learned([0.0] * 5, target=4, before=BEFORE)


def test_rates_of_their_own():
    assert learned([0.0] * 5).parameter_groups(0.5)[0]["lr"] == 0.5
    gates = LearnedGates(HEADS, GateSettings(rate=0.1, multiplier_rate=0.2), 0, target=1)
    first, second = gates.parameter_groups(0.5)
    assert (first["lr"], first["weight_decay"], first["params"]) == (0.1, 0.0, [gates.gates.log_a])
    assert (second["lr"], second["maximize"], second["params"]) == (0.2, True, [gates.multipliers])


def test_a_mask_stays():
    kept = {Site("encoder", 1): torch.tensor([1.0, 0.0])}
    mask = FixedGates(kept)
    for gates in mask.draw(), mask.kept():
        assert gates[Site("encoder", 1)].tolist() == [1, 0]
    assert mask.cost() == 0
    assert not list(mask.parameters())
    assert mask.table()["kept"].tolist() == [1, 0]
    assert mask.table()["log_a"].isna().all()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"penalty": -0.1}, "the penalty is -0.1; it must be 0 or more"),
        ({"target": 6}, "6 heads are to be kept, but 5 have gates"),
        ({"target": -1}, "-1 heads are to be kept"),
        ({"target": 2, "penalty": 0.1}, "choose one of them"),
    ],
)
def test_prices_that_are_none(choices, message):
    with pytest.raises(InputError, match=message):
        LearnedGates(HEADS, GateSettings(), 0, **choices)


def test_sites_that_the_model_has_not(tmp_path):
    model = build(ARCHITECTURE, tokenizer_of(write_corpus(tmp_path, {"train": 5})), 1)
    found = heads_with_gates(anatomy(model), ["cross", "encoder"])
    assert found == {Site("encoder", 1): 2, Site("cross", 1): 2}
    with pytest.raises(InputError, match="the model has no cross attention for gates; it has encoder"):
        heads_with_gates(anatomy(model.get_encoder()), KINDS[::2])
