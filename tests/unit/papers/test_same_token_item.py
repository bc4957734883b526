"""Synthesis, figure 4: attention to the same token against the loss without a head, drawn on made-up tables."""

import made_up_tasks as made
import pandas as pd
import pytest
from made_up import check_data, check_text, words

PAIRS = ("MRPC", "STS-B", "QQP", "RTE", "QNLI", "MNLI")


def statistics(domain, seed=1):
    """Head 2-2 attends to the same token most, 1-1 no more than if its attention were uniform."""
    rows = [
        (*place, "counterpart", key, value, 80)
        for place, weight in zip(made.PLACES, (0.1, 0.2, 0.3, 0.7), strict=True)
        for key, value in (("attention", weight), ("uniform", 0.1))
    ]
    columns = ["layer", "head", "statistic", "key", "value", "count"]
    own = pd.DataFrame(rows, columns=columns).assign(kind="encoder")
    return pd.concat([made.statistics(domain, seed), own], ignore_index=True)


def disabling(domain, seed=1):
    """Without a head the score falls the more, the more it attends to the same token; in MNLI the less."""
    table = made.disabling(domain, seed)
    losses = dict(zip(made.PLACES, (0.0, 0.01, 0.05, 0.4), strict=True))
    if domain == "MNLI":
        losses = dict(zip(losses, reversed(losses.values()), strict=True))
    change = [-losses.get(place, 0.1) for place in zip(table["layer"], table["head"], strict=True)]
    return table.assign(
        change=change, low=[each - 0.03 for each in change], high=[each + 0.01 for each in change]
    )


def test_heads_of_each_task(item):
    shown = made.shown()
    shown = shown[shown["domain"].isin(PAIRS)]
    tables = made.of(statistics, PAIRS), shown, made.of(disabling, PAIRS)
    figure, table = item("figure4", *tables, study="synthesis")
    assert len(table) == len(PAIRS) * len(made.PLACES)
    best = table[(table["domain"] == "RTE") & (table["layer"] == 2) & (table["head"] == 2)].iloc[0]
    assert best[["attention", "uniform", "loss", "low", "high"]].tolist() == pytest.approx(
        [0.7, 0.1, 0.4, 0.39, 0.43]
    )
    assert set(table["run"]) == {f"bert-{domain.lower()}-s1" for domain in PAIRS}
    text = words(figure)
    assert text.count("2-2") >= 6, "the map and every task but MNLI"
    assert "RTE, ρ = 1.00" in text
    assert "MNLI, ρ = −1.00" in text
    check_text(figure)
    check_data(figure)


def test_a_task_of_single_sentences_has_no_panel(item):
    tables = (
        pd.concat([made.of(statistics, ("RTE",)), made.of(made.statistics, ("SST-2",))]),
        made.shown(),
        made.of(disabling, ("RTE", "SST-2")),
    )
    _, table = item("figure4", *tables, study="synthesis")
    assert set(table["domain"]) == {"RTE"}
