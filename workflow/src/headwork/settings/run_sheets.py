"""Run sheets: one row per trained model, and how rows refer to each other."""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.settings.config import check

LEARNED = ("encoder", "all")  # values of the column `gates` for which gates are learned
MASK = "mask:"
STUDIES = (
    "studies"  # among the sheets of a config: the scale whose rows are read from the folders of all studies
)
NUMBERS = ("seed", "penalty", "target")  # columns


def read_sheets(paths: Mapping[str, str], schema: str | Path, root: str | Path = ".") -> pd.DataFrame:
    """Read a config's run sheets, one row per trained model, indexed by run id; `paths` are below `root`.

    `STUDIES` names a scale: its rows of workflow/studies/<study>/runs.tsv, which have a column `scale`. An overlay
    config whose sheet has a new name adds its rows. Equal rows of two studies are one run. ``attrs["places"]`` holds
    each row's sheet and line. Raises `InputError` as `read_runs` does, for an id that is in two sheets, and for a scale
    of which no study has a run.
    """
    sheets = {
        path: read_runs(Path(root, path), schema) for name, path in paths.items() if path and name != STUDIES
    }
    if paths.get(STUDIES):
        sheets = _of_studies(Path(root), paths[STUDIES], schema) | sheets
    places = [(path, line) for path, sheet in sheets.items() for line in sheet.attrs["lines"]]
    for sheet in sheets.values():
        sheet.attrs = {}
    runs = pd.concat(sheets.values())
    same = runs.drop(columns="study").astype(str).duplicated().to_numpy()
    runs, places = runs[~same], [place for place, is_same in zip(places, same, strict=True) if not is_same]
    twice = runs.index.duplicated()
    if twice.any():
        position = int(twice.argmax())
        (first, _) = places[list(runs.index).index(runs.index[position])]
        raise InputError.at(
            places[position][0],
            f"run '{runs.index[position]}' is also in {first}; give each run an id of its own",
            places[position][1],
        )
    runs.attrs["places"] = places
    return runs


def _of_studies(root: Path, scale: str, schema: str | Path) -> dict[str, pd.DataFrame]:
    """Sheet -> its rows of that scale, of all studies that have any."""
    sheets = {}
    for path in sorted(root.glob("workflow/studies/*/runs.tsv")):
        sheet = read_runs(path, schema, scale)
        if len(sheet):
            sheets[path.relative_to(root).as_posix()] = sheet
    if not sheets:
        raise InputError(f"config: runs: studies: no study has runs of the scale '{scale}'; correct the name")
    return sheets


def read_runs(path: str | Path, schema: str | Path, scale: str | None = None) -> pd.DataFrame:
    """Read a run sheet, one row per trained model, indexed by run id; empty cells and an absent `target` are None.

    Types do not depend on other rows: the penalty is a float, the target an int. ``attrs["lines"]`` holds the rows'
    lines in the file, which may have comments and empty lines. Raises `InputError` for a missing file or column, a cell
    of the wrong type, or an id used twice. With a `scale` the sheet is that of a study, the name of its folder: rows
    with this value in the column `scale` are read.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError.at(path, "the run sheet does not exist; correct `runs` in the config")
    text = path.read_text(encoding="utf-8-sig").splitlines()
    rows = {line: row for line, row in enumerate((row.split("#")[0] for row in text), start=1) if row.strip()}
    _, *lines = rows
    # cells are read as text: a run may be called "null", and one invalid cell must not change other rows' types
    as_written = {"dtype": str, "keep_default_na": False, "na_values": [""]}
    table = pd.read_csv(StringIO("\n".join(rows.values())), sep="\t", **as_written)
    table = table.astype(object).where(table.notna(), None)
    if scale is not None:
        if "scale" not in table:
            raise InputError.at(path, "the column scale is missing; add it in front of the others", 1)
        chosen = table["scale"] == scale
        lines = [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen]
        table = table[chosen].drop(columns="scale").reset_index(drop=True)
        table.insert(1, "study", path.parent.name)
    for column in set(NUMBERS) & set(table):
        table[column] = pd.Series([_number(cell) for cell in table[column]], table.index, object)
    for line, row in zip(lines, table.to_dict("records"), strict=True):
        check(row, schema, f"{path}:{line}")
    twice = table["run"][table["run"].duplicated()]
    if len(twice):
        line = lines[twice.index[0]]
        raise InputError.at(
            path, f"run '{twice.iloc[0]}' is given twice; give each run an id of its own", line
        )
    targets = table.get("target", [None] * len(table))
    cells = {
        "penalty": [float(penalty) for penalty in table["penalty"]],
        "target": [None if target is None else int(target) for target in targets],
    }
    table = table.assign(**{name: pd.Series(column, table.index, object) for name, column in cells.items()})
    table = table.set_index("run", drop=False)
    table.attrs["lines"] = lines
    return table


def _number(cell: str | None) -> int | float | str | None:
    """Return the cell as a number if it is one; else the text, which the schema then rejects."""
    for kind in (int, float):
        try:
            return kind(cell)
        except (TypeError, ValueError):
            continue
    return cell


def mask_run(gates: str) -> str | None:
    """Return the run whose kept heads a run is built with, by its column `gates`; None if `gates` is no mask."""
    return gates.removeprefix(MASK) if gates.startswith(MASK) else None


def whole_run(row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The run with all its heads that a run with learned gates was pruned from; None for other runs.

    A run may start from a pruned one with the same gates, and that one from another: points of one sweep, each with
    fewer heads than the one before. `rows` are those of the run sheet by run.
    """
    if row["gates"] not in LEARNED:
        return None
    start = row["init_run"]
    while start in rows and rows[start]["gates"] == row["gates"]:
        start = rows[start]["init_run"]
    return start
