"""Distribution from which gates are sampled in training. (a) The Concrete distribution lies between 0 and 1. The
Hard Concrete distribution stretches it to (−0.1, 1.1) and clips it, so that it has point masses at exactly 0
and exactly 1 (dots, right axis). (b) Hard Concrete distributions with other locations, named by these two
probabilities.

The curves are closed forms and depend on no run; the csv has the published labels beside the computed ones.
The temperature is 0.5, as in the paper's figure; gates are trained with 0.33 unless the recipe says
otherwise.
"""

import numpy as np

from headwork.studies import style

from .drawings import gate_table

TEMPERATURE, STRETCH = 0.5, (-0.1, 1.1)
LOCATIONS = {0.0: style.SERIES[0], 2.0: style.SERIES[2], -3.0: style.SERIES[3]}  # log a, and its colour
INSIDE = np.linspace(0.001, 0.999, 333)
SCALE = 5.0  # the density at which the axis ends; there a probability is 1


def draw(published):
    """The figure, and its numbers with the published probabilities of 0 and 1 beside ours."""
    table = gate_table(INSIDE, list(LOCATIONS), TEMPERATURE, STRETCH)
    figure = style.new(style.PAGE, 5.6)
    plain, several = figure.subplots(1, 2)
    concrete, hard = (table[table["distribution"] == name] for name in ("Concrete", "Hard Concrete"))
    plain.plot(concrete["x"], concrete["ours"], color=style.SERIES[1], label="Concrete")
    for number, (log_a, colour) in enumerate(LOCATIONS.items()):
        own = hard[hard["log_a"] == log_a]
        inside, chances = own[own["quantity"] == "density"], own.loc[own["quantity"] != "density", "ours"]
        named = "({:.2f}, {:.2f})".format(*chances) + f", log a = {log_a:g}".replace("-", "−")
        for axes, label in [(several, named), (plain, "Hard Concrete")][: 1 if number else 2]:
            axes.plot(inside["x"], inside["ours"], color=colour, label=label)
            # beside each other, where several stand at one place
            places = -0.02 * number, 1 + 0.02 * number
            axes.vlines(places, 0, SCALE * chances, colors=colour, linewidth=1.5)
            axes.plot(places, SCALE * chances, "o", color=colour, markersize=4)
    titles = f"(a) T = {TEMPERATURE}, log a = 0", "(b) Hard Concrete: P(0), P(1)"
    for axes, title in zip((plain, several), titles, strict=True):
        axes.set(xlim=(-0.1, 1.1), ylim=(0, SCALE), xlabel="gate", ylabel="density", title=title)
        right = axes.secondary_yaxis("right", functions=(lambda y: y / SCALE, lambda p: SCALE * p))
        right.set_ylabel("probability of 0 and of 1 (dots)")
        axes.legend(loc="upper center")
    known = published.astype({"log_a": float}).rename(columns={"value": "published"})
    table = table.merge(known, on=["log_a", "quantity"], how="left")
    columns = ["distribution", "temperature", "log_a", "quantity", "x", "ours", "published"]
    return figure, table[[*columns, "uncertainty", "source"]]
