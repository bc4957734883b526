"""Frequency rank of a token against the norm ‖f(x)‖ and against the attention weight α it receives.

A dot is a token of the segments; norms and weights are means over all heads and layers. Ranks are those of
subword tokens in the model's training text, 1 for the most frequent. ρ is Spearman's correlation; the
published ones are named beside.
"""

from headwork.studies import style
from headwork.studies.rows import where

PANELS = {"norm": "mean ‖f(x)‖ over heads and layers", "weight": "mean weight received"}
TOKENS = ((True, "subword tokens of words", style.SERIES[0]), (False, "[CLS], [SEP]", style.SERIES[5]))
SHOWN = 3000  # dots


def draw(tokens, correlations, published):
    """The figure, and the rank correlations of all tokens and of those that are no special token."""
    figure = style.new(style.PAGE, 6.6)
    theirs = published.set_index("measure")["value"]
    drawn = tokens.sample(min(SHOWN, len(tokens)), random_state=0).sort_values("rank", kind="stable")
    for axes, (measure, name) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        for real, label, colour in TOKENS:
            own = where(drawn, real=real)
            look = {"color": colour, "markersize": 1.8, "alpha": 0.4, "markeredgewidth": 0}
            axes.plot(own["rank"], own[measure], "o", rasterized=True, label=label, **look)
        rows = where(correlations, statistic=f"rank-{measure}-rho").set_index("key")["value"]
        known = f"; published {theirs[measure]:.2f}" if measure in theirs.index else ""
        title = f"ρ = {rows['all']:.2f} ({rows['real']:.2f} without special tokens){known}"
        axes.set_title(title, fontsize=7.5)
        axes.set(xscale="log", xlabel="frequency rank of the token", ylabel=name)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(0, None)
    figure.axes[0].legend(loc="lower right")
    table = correlations[correlations["statistic"].str.startswith("rank-")].copy()
    table["measure"] = table["statistic"].str.removeprefix("rank-").str.removesuffix("-rho")
    known = published.rename(columns={"value": "published"})
    columns = ["run", "label", "measure", "key", "value", "count", "published", "uncertainty", "source"]
    return figure, table.merge(known, on="measure", how="left")[columns]
