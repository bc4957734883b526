"""What the rules of studies do: draw an item, judge claims, collect verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.run.frame import Files
from headwork.run.outputs import write_json, write_table
from headwork.settings.studies import Item
from headwork.studies.item import draw, evidence, module_of, save
from headwork.studies.judging import judge
from headwork.studies.verdicts import draw_verdicts, metrics

Runs = Sequence[Mapping[str, Any]]


def draw_item(
    input: Files, output: Files, item: Item, runs: Runs, folder: str, caption: str | None = None
) -> None:
    """Draw an item from its tables and published numbers (`headwork.studies.item.draw`); `folder` is workflow/studies.

    `output`: svg, pdf, and csv, the numbers in the figure. The `caption` is for Snakemake's report.
    """
    save(*draw(item, vars(input), runs, folder), vars(output))


def judge_claims(
    input: Files,
    output: Files,
    study: str,
    claims: Sequence[Mapping[str, Any]],
    runs: Mapping[str, Runs],
    folder: str,
) -> None:
    """Judge the claims of a study on its tables. `output`: csv (a row for each claim), and its picture (svg, pdf)."""
    judged = judge(study, claims, evidence(vars(input), runs), module_of(study, "claims", folder))
    save(draw_verdicts(judged), judged, vars(output))


def collect_verdicts(input: Files, output: Files) -> None:
    """Write the `claims` of all studies as one table (`csv`), and as `metrics` that DVC compares (json)."""
    claims = pd.concat(map(pd.read_csv, input.claims), ignore_index=True)
    write_table(output.csv, claims)
    write_json(output.metrics, metrics(claims))
