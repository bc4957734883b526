"""The module of an item: drawn from the tables that its arguments name, described by its docstring.

workflow/studies/<study>/<item>.py defines ``draw(**tables) -> (figure, table)``. Its arguments are names of tables in
the registry (`headwork.studies.tables`), names of published numbers (`published:` in study.yaml), and `runs`, the runs
that the item shows. Its docstring is the caption.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from headwork.errors import InputError
from headwork.run.outputs import write_table
from headwork.settings.studies import Item
from headwork.studies import style, tables
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.published import read_published
from headwork.studies.rows import NotMeasured

Files = Mapping[str, str | Path | Sequence[str | Path]]


def module_of(study: str, name: str, folder: str | Path) -> ModuleType:
    """The module `name` of a study: an item, or ``claims``. `folder` is workflow/studies."""
    above = str(Path(folder).resolve().parent)
    if above not in sys.path:
        sys.path.insert(0, above)
    return import_module(f"studies.{study}.{name}")


def draw(
    item: Item, files: Files, runs: Sequence[Mapping[str, Any]], folder: str | Path
) -> tuple[Figure, pd.DataFrame]:
    """The figure of an item and the numbers in it.

    `files` are those of its tables, one for each of `runs`, and of its published numbers, by name. Raises `InputError`
    if `draw` of its module has an argument without a file. An item of a statistic that none of its runs has is drawn as
    one line that says so.
    """
    function = module_of(item.study, item.key, folder).draw
    arguments = signature(function).parameters.items()
    wanted = [name for name, each in arguments if each.default is Parameter.empty]
    given: dict[str, Any] = {"runs": runs} if "runs" in wanted else {}
    for name in wanted:
        if name in item.published:
            given[name] = read_published(str(files[name]))
        elif name in item.tables:
            given[name] = tables.read(name, files[name], runs)
        elif name != "runs":
            absent = f"is drawn from {name}, which is neither in its `tables` nor in its `published`"
            raise InputError.at(Path(folder) / item.study / "study.yaml", f"the item {item.key} {absent}")
    try:
        return function(**given)
    except NotMeasured as reason:
        return draw_sheet([[f"{reason}."]], [9.0], headings=0), pd.DataFrame({"note": [str(reason)]})


def save(figure: Figure, table: pd.DataFrame, output: Mapping[str, str | Path]) -> None:
    """Write the figure as svg and pdf, and its numbers as csv; equal figures and tables give equal bytes."""
    style.save(figure, output["svg"], output["pdf"])
    write_table(output["csv"], table)


def evidence(files: Files, runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, pd.DataFrame]:
    """The tables on which a study's claims are judged: name -> rows over all of its runs.

    `runs` is what `study.claim_runs` returns; `files` has the files of each table, and of a study with sweeps those of
    `sweeps` and `kept`, one each.
    """
    found = {name: tables.read(name, files[name], of_table) for name, of_table in runs.items()}
    return found | ({"kept": tables.read("kept", files["kept"], [])} if "sweeps" in runs else {})
