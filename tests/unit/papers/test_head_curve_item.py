"""Synthesis, figure 3: heads by update, drawn on made-up tables."""

import pandas as pd
from made_up import check_data, check_text, functions, words


def curve(run):
    """Scores rise with the updates; from the second snapshot on, one head holds for each function."""
    parts = []
    for step in (100, 1000, 4000, 8000):
        rows = functions(run=run)
        first = rows.groupby("function").head(1).index
        rows["score"] = rows["score"] * (step / 8000) ** 0.2
        rows["holds"] = rows.index.isin(first) & (step > 100)
        parts.append(rows.assign(step=step))
    return pd.concat(parts, ignore_index=True)


def test_the_best_head_of_each_function_at_each_step(item):
    rows = pd.concat([curve("a"), curve("b")], ignore_index=True)
    labels = rows[["run", "domain", "label"]].drop_duplicates()
    history = labels.merge(pd.DataFrame({"step": [500, 8000], "dev_loss": [2.0, 1.5]}), how="cross")
    figure, table = item("figure3", rows, history, study="synthesis")
    losses = table[table["function"] == "dev loss"]
    assert losses[["run", "step", "score"]].to_numpy().tolist() == [
        ["a", 500, 2.0], ["a", 8000, 1.5], ["b", 500, 2.0], ["b", 8000, 1.5],
    ]  # fmt: skip
    table = table.drop(losses.index)
    own = rows[rows["function"].isin(table["function"])]
    best = own.groupby(["run", "step", "function"])["score"].max()
    ours = table.set_index(["run", "step", "function"])["score"]
    pd.testing.assert_series_equal(ours.sort_index(), best.sort_index())
    heads, loss = figure.axes[2], figure.axes[4]
    assert {line.get_ydata()[0] for line in heads.lines} == {0}, "after 100 updates no head has a function"
    assert all(line.get_ydata()[-1] > 0 for line in heads.lines)
    assert loss.lines[0].get_xdata().tolist() == [500, 8000], (
        "where it was evaluated, not where snapshots are"
    )
    assert "previous token" in words(figure)
    check_text(figure)
    check_data(figure)
