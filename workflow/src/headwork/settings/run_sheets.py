"""Run sheets and pruning sweeps.

`workflow/studies/<study>/runs.tsv`, tab-separated: one row is one trained model of one `scale` (a further first
column), and its `run` names the folder `results/<scale>/models/<run>`. `runs: {studies: miniature}` of the config reads
the rows of that scale from all studies; equal rows of two studies are one run. A sheet of your own, which an overlay
names (`runs: {mine: my-runs.tsv}`), has the column `study` instead. A new row trains one model. A changed row retrains
that model and remakes what depends on it. A run that is in no sheet is an error only for targets that need it.

## Pruning sweeps

The runs with gates whose `init_run` is a run of a study are its pruned models; runs with the `mask` of a pruned model
and no `init_run` are its models trained from scratch. A gated run may start from another gated run with a larger
target: heads closed there stay closed, so that each point of a sweep starts from the previous one. A sweep may start
from another run ([`studies.<study>.sweeps`](studies.md)). `results/<scale>/pruning/<study>.runs.csv` has one row per
run.

Choices of the miniature scale:

- Targets replace penalties, which the paper does not publish. A sweep is a path: 32, 17, 10, 6, 4 and 2 of 48 encoder
  heads, or 48, 32, 24, 16 and 10 of all 56. The points with 17, 10 and 4 encoder heads are those of the paper's claims.
- The paths from 17 heads to the points of the BLEU claims, 10 heads on news and 4 on subtitles, are repeated with two
  more seeds.
- Each point is trained for 1,000 steps from the previous point (recipe `gated`;
  [why](../miniature-world.md#optimizer-batch-and-gates)). The published number of steps is unknown.
- A model from scratch gets as many steps as the pruned model in total, 2,500 and twice 1,000 (recipe `scratch`). There
  is one such model per domain.
"""

from collections.abc import Mapping
from csv import QUOTE_NONE
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from headwork.errors import InputError, SettingError, no_file
from headwork.settings.base import Count, Id, NonNegative, Settings

LEARNED = ("encoder", "all")  # values of the column `gates` for which gates are learned
MASK = "mask:"
STUDIES = (
    "studies"  # among the sheets of a config: the scale whose rows are read from the folders of all studies
)


class Row(Settings, strict=False):  # cells are text
    """A row of the run sheet: one trained model."""

    run: Id
    """id of the run, and the name of its folder in results/models"""
    study: str
    """the study that asks for it; of a study's own sheet the folder says it"""
    corpus: str
    """a key of `corpora` (`translation`; `lm` and `mlm` on its source side), `texts` (`mlm`) or `tasks`
    (`classification`)"""
    objective: Literal["translation", "lm", "mlm", "classification"]
    """what the model is trained for"""
    architecture: str
    """a key of `architectures`"""
    recipe: str
    """a key of `recipes`"""
    seed: Count
    """seed of the initialisation, the order of the batches and dropout"""
    init_run: str | None
    """run whose weights it starts from; empty for a fresh start"""
    gates: Annotated[str, Field(pattern="^(none|encoder|all|mask:[a-z0-9][a-z0-9-]*)$")]
    """attentions with Hard Concrete gates: `none`, `encoder`, `all`; or `mask:<run>`: built with the heads which that
    run kept"""
    penalty: NonNegative
    """weight of the gates' L0 penalty"""
    target: Count | None = None
    """heads that gates are to keep, instead of a penalty; the column may be missing"""


def read_sheets(paths: Mapping[str, str | None], root: str | Path = ".") -> pd.DataFrame:
    """Read a config's run sheets, one row per trained model, indexed by run id; `paths` are below `root`.

    `STUDIES` names a scale: its rows of workflow/studies/<study>/runs.tsv, which have a column `scale`. An overlay
    config whose sheet has a new name adds its rows. Equal rows of two studies are one run. ``attrs["places"]`` holds
    each row's sheet and line. Raises `InputError` as `read_runs` does, for an id that is in two sheets, and for a scale
    of which no study has a run.
    """
    sheets = {path: read_runs(Path(root, path)) for name, path in paths.items() if path and name != STUDIES}
    if paths.get(STUDIES):
        sheets = _of_studies(Path(root), paths[STUDIES]) | sheets
    if not sheets:
        raise SettingError("config", ("runs",), "no run sheet is named; name one, or a scale under `studies`")
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


def _of_studies(root: Path, scale: str) -> dict[str, pd.DataFrame]:
    """Sheet -> its rows of that scale, of all studies that have any."""
    sheets = {}
    for path in sorted(root.glob("workflow/studies/*/runs.tsv")):
        sheet = read_runs(path, scale)
        if len(sheet):
            sheets[path.relative_to(root).as_posix()] = sheet
    if not sheets:
        raise InputError(f"config: runs: studies: no study has runs of the scale '{scale}'; correct the name")
    return sheets


def read_runs(path: str | Path, scale: str | None = None) -> pd.DataFrame:
    """Read a run sheet, one row per trained model, indexed by run id; empty cells and an absent `target` are None.

    ``attrs["lines"]`` holds the rows' lines in the file, which may have comments and empty lines. Raises `InputError`
    for a missing file or column, a cell of the wrong type, or an id used twice. With a `scale` the sheet is that of a
    study, the name of its folder: rows with this value in the column `scale` are read.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError.at(path, no_file(path, "the run sheet does not exist; correct `runs` in the config"))
    rows = _lines(path)
    _, *lines = rows
    # a run may be called "null"
    as_written = {"dtype": str, "keep_default_na": False, "na_values": [""], "index_col": False}
    table = pd.read_csv(StringIO("\n".join(rows.values())), sep="\t", quoting=QUOTE_NONE, **as_written)
    table = table.astype(object).where(table.notna(), None)
    if scale is not None:
        if "scale" not in table:
            raise InputError.at(path, "the column scale is missing; add it in front of the others", 1)
        chosen = table["scale"] == scale
        lines = [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen]
        table = table[chosen].drop(columns="scale").reset_index(drop=True)
        table.insert(1, "study", path.parent.name)
    rows = [
        Row.read(row, f"{path}:{line}").model_dump()
        for line, row in zip(lines, table.to_dict("records"), strict=True)
    ]
    table = pd.DataFrame(rows, columns=list(Row.model_fields), dtype=object)
    twice = table["run"][table["run"].duplicated()]
    if len(twice):
        line = lines[twice.index[0]]
        raise InputError.at(
            path, f"run '{twice.iloc[0]}' is given twice; give each run an id of its own", line
        )
    table = table.set_index("run", drop=False)
    table.attrs["lines"] = lines
    return table


def _lines(path: Path) -> dict[int, str]:
    """The lines of a sheet without comments and empty ones, by their number; the first is the header.

    Raises `InputError` for a file that is not text, has no header, or has a line without a cell for each column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError.at(path, "the run sheet is not UTF-8; convert it with iconv") from error
    cut = {line: row.split("#")[0] for line, row in enumerate(text.splitlines(), start=1)}
    rows = {line: row for line, row in cut.items() if row.strip()}
    if not rows:
        raise InputError.at(
            path, "the run sheet is empty; begin with a header: " + ", ".join(Row.model_fields)
        )
    (first, header), *others = rows.items()
    columns = header.split("\t")
    if "run" not in columns:
        raise InputError.at(
            path, "the first line is no header with a column run; columns are separated by tabs", first
        )
    for line, row in others:
        if (cells := row.count("\t") + 1) > len(columns) or cells == 1:
            problem = f"{cells} cells below {len(columns)} columns; cells are separated by tabs"
            raise InputError.at(path, problem, line)
    return rows


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
