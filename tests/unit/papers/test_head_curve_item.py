"""Synthesis, figure 3: heads by update, drawn on made-up tables."""

import pandas as pd
from made_up import check_data, check_text, functions, words


def curve(run):
    """Scores rise with the updates; from the second snapshot on, one head holds for each function."""
    parts = []
    for step, loss in ((100, 4.0), (1000, 2.0), (4000, None), (8000, 1.5)):
        rows = functions(run=run)
        first = rows.groupby("function").head(1).index
        rows["score"] = rows["score"] * (step / 8000) ** 0.2
        rows["holds"] = rows.index.isin(first) & (step > 100)
        parts.append(rows.assign(step=step, dev_loss=loss))
    return pd.concat(parts, ignore_index=True)


def test_the_best_head_of_each_function_at_each_step(item):
    rows = pd.concat([curve("a"), curve("b")], ignore_index=True)
    figure, table = item("figure3", rows, study="synthesis")
    own = rows[rows["function"].isin(table["function"])]
    best = own.groupby(["run", "step", "function"])["score"].max()
    ours = table.set_index(["run", "step", "function"])["score"]
    pd.testing.assert_series_equal(ours.sort_index(), best.sort_index())
    heads, loss = figure.axes[2], figure.axes[4]
    assert {line.get_ydata()[0] for line in heads.lines} == {0}, "after 100 updates no head has a function"
    assert all(line.get_ydata()[-1] > 0 for line in heads.lines)
    assert loss.lines[0].get_xdata().tolist() == [100, 1000, 8000], "without a dev loss there is no point"
    assert "previous token" in words(figure)
    check_text(figure)
    check_data(figure)
