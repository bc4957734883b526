"""Share of attention maps with each pattern, by task.

Left: all maps of the dev set (at most a thousand examples), by rules. Middle: maps of a few examples of each
task, by a convolutional network as in the paper, trained on the clearest maps of the rules. The network can
only predict patterns that occur among these; its title lists them. The csv has its macro F1 on held-out maps,
its agreement with the rules, and the scores of both on hand-labelled maps. Right: published, read off the
figure; the authors' network had a macro F1 of 0.86. A single-sentence task has no block pattern; published
shares of it are classification errors.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.rows import where

from .tables import PATTERNS, shares_of_patterns

COLOURS = dict(zip(PATTERNS, (*style.SERIES[:4], style.PALE), strict=True))
ORIGINS = {"rules": "this run, rules", "network": "this run, network", "published": "published"}


def draw(tasks, pattern_shares, pattern_facts, published):
    """The figure and its numbers: origin, domain, pattern, value, count; and what is known of the classifiers."""
    domains = tasks.drop_duplicates("domain").set_index("run")["domain"]
    by_network = where(pattern_shares, classifier="network").rename(columns={"share": "value"})
    by_network = by_network.assign(domain=by_network["run"].map(domains))
    tables = {
        "rules": shares_of_patterns(tasks).rename(columns={"share": "value"}),
        "network": by_network[["domain", "pattern", "value", "count"]],
        "published": published,
    }
    figure = style.new(style.PAGE, 6.6)
    for axes, (origin, name) in zip(figure.subplots(1, 3, sharey=True), ORIGINS.items(), strict=True):
        cells = tables[origin].pivot_table("value", "domain", "pattern")
        cells = cells.reindex(index=domains.to_numpy(), columns=PATTERNS)
        bottom = pd.Series(0.0, cells.index)
        for pattern in PATTERNS:
            look = {"color": COLOURS[pattern], "width": 0.75, "label": pattern}
            axes.bar(cells.index, cells[pattern], bottom=bottom, **look)
            bottom = bottom + cells[pattern]
        style.share_axis(axes)
        axes.tick_params(axis="x", rotation=60, length=0)
        axes.set(title=name)
    learned = [pattern for pattern in PATTERNS if pattern in pattern_facts.get("f1_of_classes", PATTERNS)]
    if len(learned) < len(PATTERNS):
        told = f"trained on {', '.join(learned)}:\nno clear map has another pattern"
        figure.axes[1].set_title(f"{ORIGINS['network']}\n{told}", fontsize=6.5)
    figure.axes[0].set_ylabel("share of maps")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    by_hand = pattern_facts["by_hand"]
    known = {
        "macro F1 of the network, unseen clear-cut maps": pattern_facts["f1"],
        "agreement of rules and network": pattern_facts.get("agreement"),
        "agreement where not clear-cut": pattern_facts.get("agreement_where_not_clear_cut"),
        "maps labelled by hand": by_hand["labels"],
    }
    for name in [name for name in ("rules", "network") if name in by_hand]:
        known[f"macro F1 of the {name}, maps labelled by hand"] = by_hand[name]["f1"]
    below = pd.DataFrame({"origin": "classifiers", "pattern": list(known), "value": list(known.values())})
    shown = [table.assign(origin=ORIGINS[origin]) for origin, table in tables.items()]
    columns = ["origin", "domain", "pattern", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([*shown, below])[columns]
