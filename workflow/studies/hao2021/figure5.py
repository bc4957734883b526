"""Attribution trees of one example per task, from [CLS] down to the input tokens.

An edge belongs to the layer in which its query token attends to its key token; its colour is that of the
layer, its width grows with its attribution. The example is the one, among short ones answered correctly, with
the most edges. Edges below the root's exceed {{ config.attribution.tree.threshold }} of their layer's largest
attribution; a key token is linked to the query token of the highest attribution, and position decides ties.
Titles: the share of examples whose prediction is preserved when all other attention weights are set to zero.
Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style

from .drawings import draw_tree, edge_key
from .tables import answers_kept


def draw(attribution_trees, tree_answers):
    """The figure; `examples` are those of each run. The table has edges, then how often answers stay."""
    kept = answers_kept(tree_answers)
    domains = list(dict.fromkeys(tree_answers["domain"]))
    figure = style.new(style.PAGE, 5.6 * -(-len(domains) // 2) if len(domains) > 1 else 6.0)
    grid, shown = style.panels(figure, len(domains), min(2, len(domains))), []
    for axes, domain, own in zip(grid, domains, attribution_trees, strict=False):
        example = own[0]
        draw_tree(axes, example)
        shares = kept[kept["domain"] == domain].set_index("edges")["share"]
        told = f"predictions preserved: tree {shares['tree']:.2f}, random edges {shares['random']:.2f}"
        axes.set_title(f"{domain}: {example['predicted']}\n{told}", fontsize=6.5)
        rows = pd.DataFrame(example["edges"])
        for name in ("reader", "read"):
            rows[f"{name}_piece"] = [example["pieces"][place] for place in rows[name]]
        shown.append(rows.assign(domain=domain, example=example["example"], predicted=example["predicted"]))
    key = edge_key(max(own[0]["layers"] for own in attribution_trees))
    figure.legend(handles=key, loc="outside lower center", ncols=4)
    columns = [
        "domain",
        "example",
        "predicted",
        "layer",
        "reader",
        "reader_piece",
        "read",
        "read_piece",
        "score",
    ]
    kept = kept.rename(columns={"edges": "answers_with"})
    return figure, pd.concat([pd.concat(shown)[columns], kept])
