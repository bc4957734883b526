"""2-D projection (MDS) of heads by the Jensen-Shannon divergence of their attention distributions.

Left: heads coloured by their main behaviour, by the thresholds of the authors' code: more than half of the
attention to a neighbouring token, or more than 0.6 to a class of tokens. Broad heads have more than four
fifths of the entropy of uniform attention, since the authors' 3.8 nats apply to segments of 120 tokens.
Crosses: best heads of a relation or of coreference, named layer-head. Right: heads coloured by layer.
Rotation and reflection of the projection are arbitrary. Stress measures how badly distances are preserved (0:
exactly). p: test that permutes the layers of heads. Published: not available as numbers.
"""

from headwork.studies import style
from headwork.studies.drawing.labels import name_points

from .tables import on_the_plane, uniform_entropy

NAMES = {
    "": "none of these",
    "broad": "broad",
    "previous": "previous token",
    "next": "next token",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "punctuation": ". or ,",
}


NAMED = 24  # heads: with more, only those that do something have their name beside them


def draw(plane_points, segments, words, plane, chance):
    """The figure, and where each head lies, what it does and what it is best at."""
    table = on_the_plane(plane_points, segments, words, uniform_entropy(chance))
    figure = style.new(style.PAGE, 7.6)
    left, right = figure.subplots(1, 2)
    colours = dict(zip(NAMES, (style.BASELINE, *style.SERIES), strict=True))
    for behaviour, rows in table.groupby("behaviour"):
        left.scatter(rows["x"], rows["y"], 22, colours[behaviour], label=NAMES[behaviour], linewidths=0)
    found = table.dropna(subset="best_at")
    left.scatter(found["x"], found["y"], 26, style.INK, "x", linewidths=0.8, label="best at a relation")
    drawn = right.scatter(table["x"], table["y"], 22, table["layer"], cmap="viridis", linewidths=0)
    named = table if len(table) <= NAMED else table[(table["behaviour"] != "") | table["best_at"].notna()]
    for axes, title in ((left, "by behaviour"), (right, "by layer")):
        axes.set(title=title, aspect="equal", xticks=[], yticks=[])
    bar = figure.colorbar(drawn, ax=right, ticks=range(1, int(table["layer"].max()) + 1), shrink=0.7)
    bar.set_label("layer")
    facts = plane.iloc[0]
    apart = f"; heads closer within layers: p = {facts['p']:.2g}" if "p" in facts else ""
    figure.suptitle(f"MDS, stress {facts['stress']:.2f}{apart}", fontsize=7.5)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    names = [(f"{row.layer}-{row.head}", (row.x, row.y)) for row in named.itertuples()]
    name_points(left, names, table[["x", "y"]].to_numpy(), size=5.5)
    return figure, table
