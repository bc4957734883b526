"""Example attention maps of four kinds of heads, on the end of one segment: broad attention, attention to the
next token, to [SEP], and to full stops and commas.

Tokens at the left attend to tokens at the right; the darker a line, the larger the weight. Each row is
normalised over the tokens shown, as in the authors' notebook. The number above a panel is the head's mean
over all segments, without this normalisation. Each panel shows the head with the highest value, if it exceeds
the threshold of the authors' code for figure 6 (broad: four fifths of the entropy of uniform attention);
otherwise the panel says that no head does. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.maps import line_map, weights_table
from headwork.studies.drawing.panels import empty_panel
from headwork.studies.notation import head_name
from headwork.studies.rows import where

from .tables import behaviour_rules, uniform_entropy

PANELS = {
    "broad": "attends broadly",
    "next": "to the next token",
    "sep": "to [SEP]",
    "punctuation": "to full stops and commas",
}


def draw(segments, segment_examples, chance):
    """The figure and its weights; each row of a map is divided by what it gives to the tokens shown."""
    figure = style.new(style.PAGE, 8.0)
    rules = {name: rule for name, *rule in behaviour_rules(uniform_entropy(chance))}
    example, shown = segment_examples[0][0], []
    for axes, (name, kind) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        statistic, key, threshold = rules[name]
        rows = where(segments, statistic=statistic, key=key)
        best = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True]).iloc[0]
        head = head_name(best["layer"], best["head"])
        unit = " nats" if statistic == "entropy" else ""
        if best["value"] <= threshold:
            highest = f"highest: {best['value']:.2f}, {head}"
            empty_panel(axes, f"no head exceeds\n{threshold:.2f}{unit or ' of its attention'}\n\n{highest}")
            axes.set_title(f"{kind}\n", fontsize=7.5)
            shown.append(pd.DataFrame({"panel": [kind], "value": [best["value"]]}))
            continue
        pieces, weights = example["pieces"], example["maps"][head]
        line_map(axes, pieces, weights, style.SERIES[0])
        axes.set_title(f"{kind}\n{head}, {best['value']:.2f}{unit}", fontsize=7.5)
        shown.append(weights_table(pieces, weights).assign(panel=kind, head=head, value=best["value"]))
    places = dict.fromkeys(("query", "key"), "Int64")  # of a panel without a head there are none
    columns = ["panel", "head", "query", "query_piece", "key", "key_piece", "weight", "value"]
    return figure, pd.concat(shown).reindex(columns=columns).astype(places)
