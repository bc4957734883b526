"""Kovaleva et al. (2019), figure 2: share of attention maps with each pattern, by task.

Of all maps of a dev set by the rules, of a sample of them by the network, and as published.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.papers.tables.tasks import read_facts, read_shares
from headwork.papers.views.tasks import PATTERNS, pattern_shares
from headwork.run.frame import job

KEYS = ("domain", "pattern")
COLOURS = dict(zip(PATTERNS, (*style.SERIES[:4], style.PALE), strict=True))
ORIGINS = {"rules": "this run, rules", "network": "this run, network", "published": "published"}


def draw(statistics, shares, facts, published):
    """The figure and its numbers: origin, domain, pattern, value, count; and what is known of the classifiers."""
    domains = statistics.drop_duplicates("domain").set_index("run")["domain"]
    by_network = shares[shares["classifier"] == "network"].assign(
        domain=lambda table: table["run"].map(domains)
    )
    tables = {
        "rules": pattern_shares(statistics).rename(columns={"share": "value"}),
        "network": by_network.rename(columns={"share": "value"})[["domain", "pattern", "value", "count"]],
        "published": published,
    }
    figure = style.new(style.PAGE, 6.6)
    for axes, (origin, name) in zip(figure.subplots(1, 3, sharey=True), ORIGINS.items(), strict=True):
        cells = tables[origin].pivot_table("value", "domain", "pattern")
        cells = cells.reindex(index=domains.to_numpy(), columns=PATTERNS)
        bottom = pd.Series(0.0, cells.index)
        for pattern in PATTERNS:
            axes.bar(
                cells.index, cells[pattern], bottom=bottom, color=COLOURS[pattern], width=0.75, label=pattern
            )
            bottom = bottom + cells[pattern]
        style.share_axis(axes)
        axes.tick_params(axis="x", rotation=60, length=0)
        axes.set(title=name)
    learned = [pattern for pattern in PATTERNS if pattern in facts.get("f1_of_classes", PATTERNS)]
    if len(learned) < len(PATTERNS):
        told = f"trained on {', '.join(learned)}:\nno clear map has another pattern"
        figure.axes[1].set_title(f"{ORIGINS['network']}\n{told}", fontsize=6.5)
    figure.axes[0].set_ylabel("share of maps")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    known = {
        "macro F1 of the network, unseen clear-cut maps": facts["f1"],
        "agreement of rules and network": facts.get("agreement"),
        "agreement where not clear-cut": facts.get("agreement_where_not_clear_cut"),
        "maps labelled by hand": facts["by_hand"]["labels"],
        **{
            f"macro F1 of the {name}, maps labelled by hand": facts["by_hand"][name]["f1"]
            for name in ("rules", "network")
            if name in facts["by_hand"]
        },
    }
    below = pd.DataFrame({"origin": "classifiers", "pattern": list(known), "value": list(known.values())})
    shown = [table.assign(origin=ORIGINS[origin]) for origin, table in tables.items()]
    columns = ["origin", "domain", "pattern", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([*shown, below])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        table = gather(given.tasks, snakemake.params.runs, read_heads)
        published = read_published(given.published, KEYS)
        save(
            *draw(table, read_shares(given.pattern_shares), read_facts(given.pattern_facts), published),
            snakemake.output,
        )
