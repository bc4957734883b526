"""Mean, standard deviation, coefficient of variation (CV), maximum and minimum of the norms of the attention
inputs x and of the transformed vectors f(x).

Over all tokens, special ones included. Rows give the means over layers (x) or heads (f(x)), and the layer or
head with the largest CV. Published: not available as numbers.
"""

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import head_name

NUMBERS = {"mean": "mean", "sd": "std", "cv": "CV", "max": "max", "min": "min"}
VECTORS = {"input-norm-spread": "‖x‖", "norm-spread": "‖f(x)‖"}


def draw(segments):
    """The table drawn, and the five numbers of every head (of x: of every layer, which is head 0)."""
    wide = segments[segments["statistic"].isin(VECTORS)]
    wide = wide.pivot_table("value", ["statistic", "layer", "head", "count"], "key").reset_index()
    rows = [["", "", *NUMBERS.values()]]
    for statistic, name in VECTORS.items():
        own = wide[wide["statistic"] == statistic]
        mean = own[list(NUMBERS)].mean()
        what = "mean over layers" if statistic == "input-norm-spread" else "mean over heads"
        rows.append([name, what, *(f"{mean[key]:.2f}" for key in NUMBERS)])
        most = own.loc[own["cv"].idxmax()]
        layer, head = int(most["layer"]), int(most["head"])
        place = head_name(layer, head) if head else f"layer {layer}"
        rows.append(["", f"largest CV: {place}", *(f"{most[key]:.2f}" for key in NUMBERS)])
    notes = [f"Over {wide['count'].max():.0f} tokens, special ones included; CV is std / mean."]
    figure = draw_sheet(rows, [1.6, 4.2, *[1.7] * 5], rules=(3,), notes=notes)
    return figure, wide[["statistic", "layer", "head", *NUMBERS, "count"]]
