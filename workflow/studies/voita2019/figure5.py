"""Attention map of the rare-token head for one sentence per language pair; rows attend to columns, dark is 1.

The rare-token head is the one that attends most to the two rarest tokens most often. Frames: the two rarest
tokens of the sentence by training frequency, or more in case of ties. The title gives the share of queries,
over the whole text, whose largest weight is on one of the two rarest tokens; a panel says so if this is too
low for a rare-token head. The sentence is the first of the stored examples that has a rare token and is short
enough. Published: not available as numbers, except that on WMT the head attends most to one of the two rarest
tokens in more than half of the cases.
"""

import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from headwork.studies import style
from headwork.studies.drawing.maps import map_panel, weights_table
from headwork.studies.drawing.panels import colour_bar, empty_panel
from headwork.studies.notation import head_name, top_heads

from .tables import choose_example, shown_piece


def draw(functions, examples, longest=18):
    """The figure and its weights: rows attend to columns; `longest`: prefer a sentence of at most so many tokens."""
    rare = top_heads(functions[functions["function"] == "rare"], by=["run"]).set_index("run")
    runs = list(dict.fromkeys(functions["run"]))
    figure = style.new(style.PAGE, 7.0)
    shown = []
    for axes, run in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs, strict=True):
        best = rare.loc[run]
        head = head_name(best["layer"], best["head"])
        axes.set_title(best["label"], fontsize=7.5)
        rate = f"{best['score']:.2f} at one of the two rarest"
        known = best[["domain", "pair", "score", "holds"]].to_dict() | {"run": run, "head": head}
        shown.append(pd.DataFrame(known, index=[0]))
        if not best["holds"]:
            empty_panel(axes, f"no rare-token head\n\nbest: {head},\n{rate}")
            axes.set_box_aspect(1)  # as high as the maps beside it
            continue
        example = choose_example(examples[examples["run"] == run], longest)
        pieces = example["pieces"]
        map_panel(axes, [shown_piece(piece, pieces) for piece in pieces], example["maps"][head], 5.5)
        for place in example["rare"]:
            axes.get_xticklabels()[place].set(color=style.SERIES[5], weight="bold")
            axes.axvspan(place - 0.5, place + 0.5, fill=False, edgecolor=style.SERIES[5], linewidth=0.8)
        axes.set_title(f"{best['label']}\n{head}\n{rate}", fontsize=7.5)
        weights = weights_table(pieces, example["maps"][head])
        shown[-1] = shown[-1].merge(weights.assign(rare=weights["key"].isin(example["rare"])), how="cross")
    image = ScalarMappable(Normalize(0, 1), style.HEAT)
    colour_bar(figure, image, figure.axes, "attention weight", shrink=0.5)
    figure.axes[0].set_ylabel("query token")
    figure.supxlabel("key token (framed: the two rarest tokens of the sentence)", fontsize=7.5)
    # of the weights there may be none
    columns = ["domain", "pair", "score", "holds", "run", "head", "query", "query_piece", "key", "key_piece"]
    table = pd.concat(shown).reindex(columns=[*columns, "rare", "weight"])
    return figure, table.astype({"query": "Int64", "key": "Int64"})
