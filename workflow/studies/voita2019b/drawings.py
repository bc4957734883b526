"""Panels over layers, a colour an objective, and over groups of tokens, a colour a layer."""

from collections.abc import Sequence

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D

from headwork.studies import style
from headwork.studies.drawing.panels import colour_bar, depth_axis, empty_panel

from .tables import OBJECTIVES, of_objective

POSITIONS = "viridis_r"
LIGHTEST = 0.25  # the tint of a word at the beginning of its sentence
TAGS = {",": "comma", ".": "full stop"}  # Penn tags of punctuation are too small to read
COLOURS = dict(zip(OBJECTIVES, style.SERIES, strict=False))


def objective_curves(axes: Axes, rows: pd.DataFrame) -> None:
    """One curve an objective over the layers; dotted: its control; dashed: the untrained encoder.

    `rows` is `tables.estimates` of one statistic and key, of trained and untrained runs; error bars are their
    intervals. Without rows the panel says so.
    """
    if rows.empty:
        empty_panel(axes, "not measured in this text")
        return
    for pair in OBJECTIVES:
        own = of_objective(rows, pair)
        look = {"color": COLOURS[pair], "linewidth": 1.2, "markersize": 2.6}
        axes.plot(own["layer"], own["value"], "-o", label=pair, **look)
        axes.plot(own["layer"], own["control"], ":", color=COLOURS[pair], linewidth=0.8)
        axes.vlines(own["layer"], own["low"], own["high"], colors=COLOURS[pair], linewidth=0.7)
    start = rows[~rows["trained"]].sort_values("layer")
    if len(start):
        look = {"color": style.BASELINE, "linewidth": 0.8, "label": "untrained"}
        axes.plot(start["layer"], start["value"], "--", **look)
    depth_axis(axes, int(rows["layer"].max()))


def curve_handles(axes: Axes, control: str) -> list[Line2D]:
    """Return the legend entries of `objective_curves`; `control` names the dotted lines."""
    dotted = Line2D([], [], color=style.BASELINE, linestyle=":", linewidth=0.8, label=control)
    return [*axes.get_legend_handles_labels()[0], dotted]


def published_curves(axes: Axes, rows: pd.DataFrame) -> None:
    """The published curve of each objective."""
    rows = rows.astype({"layer": int})
    for pair in OBJECTIVES:
        own = rows[rows["pair"] == pair].sort_values("layer")
        look = {"color": COLOURS[pair], "linewidth": 1.0, "markersize": 2.4}
        axes.plot(own["layer"], own["value"], "-D", label=pair, **look)
    depth_axis(axes, int(rows["layer"].max()))


def layer_colours(layers: Sequence[int]) -> dict[int, str]:
    """A colour for each layer, the darker the higher."""
    shades = matplotlib.colormaps[POSITIONS]
    most = max(len(layers) - 1, 1)
    return {layer: to_hex(shades(0.15 + 0.8 * place / most)) for place, layer in enumerate(layers)}


def group_curves(
    axes: Axes,
    rows: pd.DataFrame,
    groups: Sequence[str],
    look: str = "-o",
    named: bool = True,
    height: float = 0.03,
) -> None:
    """Draw a curve a layer over groups of tokens, with a gap and "n/a" at a group without a value.

    "n/a" stands at this `height` of the panel, from 0 to 1.

    Error bars are intervals, where rows have low and high.
    """
    for layer, colour in layer_colours(sorted(rows["layer"].unique().tolist())).items():
        own = rows[rows["layer"] == layer].set_index("key").reindex(groups)
        name, places = f"layer {layer}" if named else None, range(len(groups))
        axes.plot(places, own["value"], look, color=colour, linewidth=1.0, markersize=2.8, label=name)
        if "low" in own:
            axes.vlines(places, own["low"], own["high"], colors=colour, linewidth=0.7)
    known = set(rows.loc[rows["value"].notna(), "key"])
    for place, group in enumerate(groups):
        if named and group not in known:
            look_of = {"rotation": 90, "ha": "center", "va": "bottom", "color": style.BASELINE}
            axes.text(place, height, "n/a", transform=axes.get_xaxis_transform(), fontsize=5, **look_of)
    axes.set_xticks(range(len(groups)), groups, rotation=90, fontsize=5.5)
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def tag_dots(axes: Axes, rows: pd.DataFrame, tags: Sequence[str]) -> None:
    """Draw a row of dots a tag, a dot a layer, with intervals; the first tag is at the top."""
    layers = layer_colours(sorted(rows["layer"].unique().tolist()))
    for number, (layer, colour) in enumerate(layers.items()):
        own = rows[rows["layer"] == layer].set_index("key").reindex(tags)
        places = np.arange(len(tags)) + 0.22 * (number - (len(layers) - 1) / 2)
        axes.plot(own["value"], places, "o", color=colour, markersize=3.2, label=f"layer {layer}")
        axes.hlines(places, own["low"], own["high"], colors=colour, linewidth=0.8)
    known = set(rows.loc[rows["value"].notna(), "key"])
    for place, tag in enumerate(tags):
        if tag not in known:
            axes.text(0, place, " n/a", va="center", fontsize=5.5, color=style.BASELINE)
    axes.set_yticks(range(len(tags)), [TAGS.get(tag, tag) for tag in tags])
    axes.set_ylim(len(tags) - 0.5, -0.5)
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def groups_in(*tables: pd.DataFrame) -> list[str]:
    """Return the groups of tables: tags in their order, or ranges of frequency ranks from the most frequent."""
    found = list(dict.fromkeys(key for table in tables for key in table["key"]))
    return sorted(found, key=lambda key: int(key.split("-")[0]) if key[0].isdigit() else 0)


def by_frequency(figure: FigureBase, rows: pd.DataFrame, published: pd.DataFrame, what: str) -> None:
    """Draw a column of panels an objective: a curve a layer over ranges of frequency ranks, published dots below.

    Published values exist for a few ranges only, so no line joins them. If `rows` has untrained runs, a panel at the
    right shows the first. `what` labels the shared vertical axis.
    """
    theirs = published.astype({"layer": int})
    untrained, ranks = rows[~rows["trained"]], groups_in(rows, published)
    above, below = figure.subplots(2, len(OBJECTIVES) + (not untrained.empty), sharey=True)
    for pair, left, right in zip(OBJECTIVES, above, below, strict=False):
        group_curves(left, of_objective(rows, pair), ranks)
        group_curves(right, theirs[theirs["pair"] == pair], ranks, "D")
        left.set_title(f"{pair}, this run")
        right.set_title(f"{pair}, published")
    for axes in (above[0], below[0]):
        axes.set_ylabel(f"{what}, PWCCA distance")
        axes.set_ylim(0, None)
    for axes in below[: len(OBJECTIVES)]:
        axes.set_xlabel("frequency rank")
    above[0].legend(fontsize=6)
    if untrained.empty:
        below[0].legend(fontsize=6)
        return
    group_curves(above[-1], untrained[untrained["run"] == untrained["run"].iloc[0]], ranks)
    above[-1].set_title("untrained")
    below[-1].set_axis_off()
    below[-1].legend(*below[0].get_legend_handles_labels(), fontsize=6, loc="upper left")


def planes(figure: FigureBase, points: pd.DataFrame, shows: str) -> None:
    """Draw a row of 2-D projections an objective, one a layer; `shows` is forms, position or tags."""
    points = points[(points["shows"] == shows) & points["trained"]]
    points = points[points["tag"] != ""] if shows == "tags" else points
    pairs = [pair for pair in OBJECTIVES if pair in set(points["pair"])]
    layers = sorted(points["layer"].unique().tolist())
    if not pairs:
        lacking = "no tags" if shows == "tags" else "too few tokens of these words"
        figure.text(0.5, 0.5, f"the text has {lacking}", ha="center")
        return
    kinds = list(points["form" if shows == "forms" else "tag"].value_counts().index)
    furthest = max(float(points["position"].max()), 1.0)
    panels = figure.subplots(len(pairs), len(layers), squeeze=False)
    for line, pair in zip(panels, pairs, strict=True):
        for axes, layer in zip(line, layers, strict=True):
            rows = points[(points["pair"] == pair) & (points["layer"] == layer)]
            axes.scatter(rows["x"], rows["y"], c=_colours(rows, shows, kinds, furthest), s=3.5, linewidths=0)
            axes.set(xticks=[], yticks=[])
            axes.set_title(f"{pair}, layer {layer}", fontsize=7)
            for side in axes.spines.values():
                side.set(visible=True, color=style.PALE)
    if shows == "position":
        scale = ScalarMappable(Normalize(0, furthest), POSITIONS)
        colour_bar(figure, scale, list(panels.flat), "position in the sentence, tokens", shrink=0.7)
    else:
        marks = [
            Line2D([], [], marker="o", linestyle="", markersize=3, color=colour, label=str(kind))
            for kind, colour in zip(kinds, style.SERIES, strict=False)
        ]
        figure.legend(handles=marks, loc="outside lower center", ncols=len(marks), fontsize=6)
    if shows == "tags":
        shades = LinearSegmentedColormap.from_list("shades", [style.tint(style.INK, LIGHTEST), style.INK])
        scale = ScalarMappable(Normalize(0, furthest), shades)
        colour_bar(figure, scale, list(panels.flat), "position in the sentence: the later, the darker")


def _colours(rows: pd.DataFrame, shows: str, kinds: Sequence[str], furthest: float) -> list[object]:
    """Return the colour of each point; grey if there are more kinds than colours."""
    if shows == "position":
        return [matplotlib.colormaps[POSITIONS](place / furthest) for place in rows["position"]]
    of = dict(zip(kinds, style.SERIES, strict=False))
    if shows == "forms":
        return [of.get(form, style.BASELINE) for form in rows["form"]]
    return [
        style.tint(of.get(tag, style.BASELINE), LIGHTEST + (1 - LIGHTEST) * place / furthest)
        for tag, place in zip(rows["tag"], rows["position"], strict=True)
    ]


SHOWN = (
    *("origin", "domain", "pair", "statistic", "key", "layer", "value", "control", "low", "high", "n"),
    *("note", "uncertainty", "source"),
)


def shown(ours: pd.DataFrame, published: pd.DataFrame | None = None, **named: str) -> pd.DataFrame:
    """Return the numbers of a figure: our rows, then published ones with the additional columns `named`."""
    table = ours.assign(origin="this run", uncertainty=None, source=None)
    table["domain"] = table["domain"].where(table["trained"], "untrained")
    parts = [table]
    if published is not None:
        parts.append(published.astype({"layer": int}).assign(origin="published", **named))
    return pd.concat(parts, ignore_index=True).reindex(columns=list(SHOWN))
