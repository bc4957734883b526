"""Voita et al. (2019b), figure 2: what layers know of the token that is read and of the one that is to be said.

Above an LM, whose output is the next token; below an MLM at places where it reads another token than it is to say.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.evolution import COLOURS, curve_handles, shown
from headwork.papers.evolution_tables import chosen, of_objective, read_evolution
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables import gather

KEYS = ("pair", "of", "layer")
LOOKS = {"input": ("-o", "token read"), "output": ("--o", "token to be said")}
READ = {"LM": "whole", "MLM": "masked"}


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    figure, kept = style.new(style.PAGE, 9.6), []
    for (left, right), (pair, key) in zip(figure.subplots(2, 2), READ.items(), strict=True):
        for of, (look, name) in LOOKS.items():
            own = of_objective(chosen(evolution, f"information/{of}", key), pair)
            theirs = published[(published["pair"] == pair) & (published["of"] == of)].astype({"layer": int})
            style_of = {"color": COLOURS[pair], "linewidth": 1.1, "markersize": 2.6}
            left.plot(own["layer"], own["value"], look, label=name, **style_of)
            left.plot(own["layer"], own["control"], ":", color=style.BASELINE, linewidth=0.8)
            right.plot(theirs["layer"], theirs["value"], look, **style_of)
            kept.append(shown(own, theirs.drop(columns="of"), statistic=f"information/{of}", key=key))
        for axes, title in ((left, f"{pair}, this run"), (right, f"{pair}, published")):
            axes.set(title=title, ylabel="information, nats", xlabel="layer")
            axes.set_ylim(0, 1.08 * axes.dataLim.ymax)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.grid(axis="y", color=style.PALE, linewidth=0.6)
        left.set_ylim(0, 1.5 * left.get_ylim()[1])
        left.legend(handles=curve_handles(left, "types dealt out anew"), loc="upper right")
    figure.axes[1].annotate("token read: see figure 1", (0.02, 0.06), xycoords="axes fraction", fontsize=6)
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
