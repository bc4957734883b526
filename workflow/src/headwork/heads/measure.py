"""A measure: a number for each attention head, with its words, its source, its pass and its value under no knowledge.

A measure is declared in the module that computes it and stands in one list: `headwork.heads.measures`,
`headwork.relevance.measures` or `headwork.pruning.measures`; `headwork.measures` has all. It rides on one of three
passes, each of which is run once for all measures that ride on it:

    attention    attention maps of a text, seen batch by batch    `headwork.heads.attention_pass`
    prediction   what a model predicts, text by text              `headwork.relevance.prediction_pass`
    removal      the model without heads, or with gates           `headwork.pruning.removal_pass`
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from headwork.heads.streaming.tally import Statistic

ATTENTION, PREDICTION, REMOVAL = PASSES = ("attention", "prediction", "removal")
WHERE, SHAPE, NORM, IMPORTANCE, SYNTAX = "Where it attends", "Shape", "Norms", "Importance", "Syntax"
GROUPS = (WHERE, SHAPE, NORM, IMPORTANCE, SYNTAX)
HEAD = ["kind", "layer", "head"]
COLUMNS = [*HEAD, "measure", "value", "baseline", "count"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number for each head.

    key         what tables call it
    name        what people call it
    group       one of `GROUPS`
    says        one sentence: what the number is
    source      paper, section, equation or figure
    rides_on    the pass
    made_by     what makes it in that pass. Measures with the same maker share what it makes. It is called with the
                pass, in the prediction pass also with a batch, and with its settings (None: the defaults). It returns
                in the attention pass a `Statistic`; in the prediction pass, by key, site -> (text, head); in the
                removal pass the value of each head and the number of texts
    value       attention pass: from the pass to kind, layer, head, value, count (`Row`: rows of a statistic). A family
                of measures has the columns `measure` and `baseline` too
    of_key      of a family: the measure of one key
    settings    the name of its settings among those of the pass; None: it has none
    share       its values are from 0 to 1
    uniform     from the pass to the value by kind of attention that a head of no knowledge has; None: not defined
    uniform_is  what that is
    tables      the workflow's tables of statistics that it is in: heads, segments, tasks
    on_page     whether the atlas measures it
    threshold   the score from which it is a function of a head, if it also stands clear of `uniform`; None: never
    does        what a head with that function does
    """

    key: str
    name: str
    group: str
    says: str
    source: str
    made_by: Callable[..., Any]
    rides_on: str = ATTENTION
    value: Callable[[Any], pd.DataFrame] | None = None
    of_key: "Callable[[str], Measure] | None" = None
    settings: str | None = None
    share: bool = False
    uniform: Callable[[Any], Mapping[str, float]] | None = None
    uniform_is: str = "uniform attention"
    tables: tuple[str, ...] = ()
    on_page: bool = True
    threshold: float | None = None
    does: str = ""

    def settings_in(self, settings: Any) -> Any:
        """Its part of the settings of a pass; None, which stands for the defaults, if they have none."""
        return None if self.settings is None else getattr(settings, self.settings, None)


@dataclass(frozen=True)
class Row:
    """The value of a measure that is one key of a statistic, from the table `found` of an attention pass."""

    statistic: str
    key: str = ""

    def __call__(self, seen: Any) -> pd.DataFrame:
        """kind, layer, head, value, count."""
        found = seen.found
        rows = found[(found["statistic"] == self.statistic) & (found["key"] == self.key)]
        return rows[[*HEAD, "value", "count"]]


def chance(maker: Callable[..., Statistic], key: str) -> Callable[[Any], dict[str, float]]:
    """The value of a key under uniform attention, from the statistic's own `chance` (kind, key, value)."""

    def uniform(seen: Any) -> dict[str, float]:
        return {row.kind: row.value for row in seen.made(maker).chance().itertuples() if row.key == key}

    return uniform
