"""Tables drawn as figures, as in print: no boxes, a few horizontal rules, bold for emphasis."""

from collections.abc import Collection, Sequence

from matplotlib.figure import Figure

from headwork.studies import style

LINE = 0.46  # cm from one row to the next
INDENT = 0.09  # cm for each space at the beginning of a row
MARGIN = 0.25  # cm around the whole
NOTE = 0.34  # cm from one line of the notes to the next


def draw_sheet(
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    headings: int = 1,
    spans: Sequence[tuple[int, int, int, str]] = (),
    rules: Collection[int] = (),
    bold: Collection[tuple[int, int]] = (),
    notes: Sequence[str] = (),
) -> Figure:
    """A figure of the size the table needs.

    `widths` are the columns' in cm; the first column is flush left, the others centred; spaces at its beginning indent
    a row. The first `headings` rows are headings; `spans` writes (row, first column, last column, text) across columns
    of a heading and underlines it. A thin rule stands after each row of `rules`. `bold` holds (row, column). `notes`
    follow below.
    """
    width = sum(widths) + 2 * MARGIN
    height = len(rows) * LINE + len(notes) * NOTE + 2 * MARGIN + (0.2 if notes else 0)
    figure = style.new(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    lefts = [MARGIN + sum(widths[:column]) for column in range(len(widths))]

    def rule(after: int, left: float, right: float, weight: float) -> None:
        level = MARGIN + after * LINE
        axes.plot([left, right], [level, level], color=style.INK, linewidth=weight, solid_capstyle="butt")

    for number, row in enumerate(rows):
        level = MARGIN + (number + 0.5) * LINE
        for column, text in enumerate(row):
            centred = column > 0
            # moved, because svg drops leading spaces
            indent = INDENT * (len(text) - len(text.lstrip(" ")))
            x = lefts[column] + (widths[column] / 2 if centred else indent)
            look = {"ha": "center" if centred else "left", "va": "center"}
            look["weight"] = "bold" if (number, column) in bold else "normal"
            axes.text(x, level, text.lstrip(" "), **look)
    for number, first, last, text in spans:
        left, right = lefts[first] + 0.1, lefts[last] + widths[last] - 0.1
        axes.text((left + right) / 2, MARGIN + (number + 0.5) * LINE, text, ha="center", va="center")
        rule(number + 1, left, right, 0.4)
    for after, weight in [(0, 1.0), (headings, 0.6), (len(rows), 1.0), *((after, 0.4) for after in rules)]:
        rule(after, MARGIN, width - MARGIN, weight)
    for number, text in enumerate(notes):
        level = MARGIN + len(rows) * LINE + 0.2 + (number + 0.5) * NOTE
        axes.text(MARGIN, level, text, ha="left", va="center", fontsize=6.5)
    return figure
