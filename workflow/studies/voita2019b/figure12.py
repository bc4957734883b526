"""2-D projection (t-SNE) of the occurrences of one word. The hue is its CCG tag; the shade is its position in
the sentence, the later the darker. Published: not available as numbers.
"""

from headwork.studies import style

from .drawings import planes


def draw(points):
    rows = points[(points["shows"] == "tags") & points["trained"] & (points["tag"] != "")]
    figure = style.new(style.PAGE, 12.5)
    planes(figure, points, "tags")
    return figure, rows[["domain", "pair", "layer", "form", "position", "tag", "x", "y"]]
