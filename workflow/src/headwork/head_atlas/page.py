"""An atlas, and its page: one HTML file with its data, script and style inside, which needs no network.

`static/charts.js` is Observable Plot 0.6.17 and D3 7.9.0 as one script (ISC; licences of all its parts in
charts.LICENSE.txt). It was made, with `export * as Plot from "@observablehq/plot"; export * as d3 from "d3";` in
entry.js, by

    npm install @observablehq/plot@0.6.17 d3@7.9.0 esbuild@0.25.0
    npx esbuild entry.js --bundle --minify --format=iife --global-name=charts --legal-comments=none --outfile=charts.js
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from headwork.head_atlas.measures import Measured
from headwork.heads.measure import GROUPS, HEAD, Measure
from headwork.run.directional import DIRECTIONAL, shown
from headwork.sites import KINDS

STATIC = Path(__file__).parent / "static"
DIGITS = 6  # significant digits of numbers in the page


@dataclass(frozen=True)
class ModelAtlas:
    """One model's part of an atlas: its name and class, its measures and functions, and maps of the shown texts."""

    name: str
    kind: str
    measured: Measured
    functions: pd.DataFrame
    maps: list[dict[str, Any]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Atlas:
    """The atlas of one model, or of two of one shape. In a notebook it shows itself.

    `title` of the text, `sentences` and `tokens` measured, `shown` texts, and a `ModelAtlas` for each model.
    """

    title: str
    sentences: int
    tokens: int
    shown: list[dict[str, Any]]
    models: tuple[ModelAtlas, ...]

    @property
    def table(self) -> pd.DataFrame:
        """model, kind, layer, head, measure, value, baseline, count: every measure of every head."""
        return pd.concat(
            [each.measured.table.assign(model=each.name) for each in self.models], ignore_index=True
        )

    @property
    def functions(self) -> pd.DataFrame:
        """model, kind, layer, head, measure, does, value, baseline, count: what heads do, best first."""
        return pd.concat([each.functions.assign(model=each.name) for each in self.models], ignore_index=True)

    def save(self, path: str | Path) -> Path:
        """Write the page; it appears when it is complete."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".part")
        partial.write_text(page(self), encoding="utf-8")
        return partial.replace(path)

    def _repr_html_(self) -> str:
        source = html.escape(page(self), quote=True)
        return (
            f'<iframe srcdoc="{source}" title="Head atlas" style="width:100%;height:52rem;border:0"></iframe>'
        )


def page(atlas: Atlas) -> str:
    """The HTML of an atlas. The same atlas gives the same bytes."""
    environment = Environment(
        loader=PackageLoader("headwork.head_atlas"),
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    packed = json.dumps(data(atlas), ensure_ascii=False, separators=(",", ":"))
    # directional controls are shown as escapes, whose backslash is escaped in JSON; only "<" can end a script element
    packed = DIRECTIONAL.sub(lambda found: f"\\\\u{ord(found[0]):04x}", packed).replace("<", "\\u003c")
    names = ("charts.js", "atlas.js", "atlas.css")
    files = {name: (STATIC / name).read_text(encoding="utf-8") for name in names}
    return environment.get_template("atlas.html").render(atlas=atlas, data=packed, files=files) + "\n"


def data(atlas: Atlas) -> dict[str, Any]:
    """All that the page shows: heads, measures, baselines, shown texts, and for each model its values."""
    first = atlas.models[0].measured.table
    heads = sorted(set(first[HEAD].itertuples(index=False, name=None)))
    heads.sort(key=lambda head: KINDS.index(head[0]))
    measures = list({each.key: each for model in atlas.models for each in model.measured.measures}.values())
    baselines = first.dropna(subset="baseline").groupby(["measure", "kind"])["baseline"].first()
    return {
        "title": atlas.title,
        "sentences": atlas.sentences,
        "heads": [list(head) for head in heads],
        "groups": [group for group in GROUPS if any(each.group == group for each in measures)],
        "measures": [_words(each) for each in measures],
        "baselines": {
            each.key: {kind: _number(value) for kind, value in baselines[each.key].items()}
            for each in measures
            if each.key in baselines
        },
        "texts": atlas.shown,
        "models": [_model(model, heads) for model in atlas.models],
    }


def _words(measure: Measure) -> dict[str, Any]:
    name = measure.name[0].upper() + measure.name[1:]
    words = {"id": measure.key, "name": name, "group": measure.group, "says": measure.says}
    return words | {"share": measure.share, "baseline": measure.uniform_is, "source": measure.source}


def _model(model: ModelAtlas, heads: list[tuple]) -> dict[str, Any]:
    place = {head: number for number, head in enumerate(heads)}
    table = model.measured.table
    values = {}
    for measure, rows in table.groupby("measure", sort=False):
        column: list[float | None] = [None] * len(heads)
        for row in rows.itertuples():
            column[place[row.kind, row.layer, row.head]] = _number(row.value)
        values[measure] = column
    functions = [
        [place[row.kind, row.layer, row.head], row.measure, row.does] for row in model.functions.itertuples()
    ]
    return {
        "name": model.name,
        "class": model.kind,
        "values": values,
        "functions": functions,
        "distances": _distances(model.measured.distances, place),
        "maps": model.maps,
    }


def _distances(table: pd.DataFrame, place: dict[tuple, int]) -> list[list[float | None]]:
    """A matrix of divergences between heads, three digits; none between heads of different kinds."""
    size = len(place)
    found = np.full((size, size), np.nan)
    names = {f"{kind} {layer}-{head}": number for (kind, layer, head), number in place.items()}
    for row in table.itertuples():
        found[place[row.kind, row.layer, row.head], names[row.key]] = row.value
    return [[None if np.isnan(value) else round(value, 3) for value in line] for line in found.tolist()]


def _number(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
