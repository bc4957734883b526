"""Reading of the files of the registry (`headwork.studies.tables`): columns, rows and values are checked."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import DamagedFile, InputError
from headwork.run.outputs import read_parquet
from headwork.studies.rows import where

Run = Mapping[str, Any]
LABELS = ("run", "domain", "pair", "label", "trained", "seed")  # the last where there are several
OR_EMPTY = ""  # in front of the columns of a table that may have no rows
# states of a fine-tuned model: the second is that before the first update
TUNED, UNTUNED = "splits", "untuned"


def read_file(path: Path, columns: Sequence[str], phase: str, reading: Mapping[str, Any]) -> Any:
    """A table with these columns, or the content of a JSON file; `phase` is named in errors.

    Raises `InputError` if a column is missing or there are no rows, `DamagedFile` if the file is not what its
    name says.
    """
    if path.suffix == ".json":
        return read_json(path)
    if path.suffix == ".parquet":
        table = read_parquet(path)
    else:
        try:
            table = pd.read_csv(path, **reading)
        except pd.errors.EmptyDataError:
            raise DamagedFile.at(path, f"the file is empty; the {phase} phase makes it") from None
        except (pd.errors.ParserError, UnicodeDecodeError) as error:
            raise DamagedFile.at(path, f"the file is not a CSV table ({error})") from None
    return checked(table, path, columns, phase)


def read_json(path: Path) -> Any:
    """The content of a JSON file; `DamagedFile` if it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFile.at(path, f"the file is not JSON ({error})") from None


def checked(table: pd.DataFrame, path: str | Path, columns: Sequence[str], phase: str) -> pd.DataFrame:
    """The table; `InputError` if it has no rows (unless columns begin with `OR_EMPTY`) or lacks one of `columns`."""
    missing = [name for name in columns if name != OR_EMPTY and name not in table.columns]
    remedy = f"delete the file and rerun the {phase} phase"
    if missing:
        raise InputError.at(path, f"the table lacks the column(s) {', '.join(missing)}; {remedy}")
    if table.empty and OR_EMPTY not in columns:
        raise InputError.at(path, f"the table has no rows; {remedy}")
    return table


def labelled(tables: Sequence[pd.DataFrame], runs: Sequence[Run]) -> pd.DataFrame:
    """One table of the tables of many runs, with the labels of the run in front; `InputError` without runs."""
    if not runs:
        raise InputError("no run was given; name one under studies: <study>: runs: in the config")
    for table, run in zip(tables, runs, strict=True):
        for place, name in enumerate(name for name in LABELS if name in run):
            table.insert(place, name, run[name])
    return pd.concat(tables, ignore_index=True)


def encoder_rows(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The rows of encoder heads; `InputError` if there are none."""
    return _having(table, path, "kind", "encoder")


def _having(table: pd.DataFrame, path: Path, column: str, value: str) -> pd.DataFrame:
    rows = table[table[column] == value].reset_index(drop=True)
    if rows.empty:
        none = f"no row has the {column} {value}; delete the file and rerun the phase that makes it"
        raise InputError.at(path, none)
    return rows


def functions(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """One row per encoder head and candidate function; `holds` is a bool."""
    table = encoder_rows(table, path)
    verdicts = table["holds"].astype(str).str.lower()
    unclear = ~verdicts.isin(["true", "false"])
    if unclear.any():
        wrong = f"holds is {verdicts[unclear].iloc[0]!r} in a row; it must be True or False"
        raise InputError.at(path, wrong)
    return table.assign(holds=verdicts == "true")


def relevance(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Each encoder head's share of its layer's relevance as `value`, with the number of steps as `count`."""
    return _having(encoder_rows(table, path), path, "statistic", "relevance")


def gates(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Which encoder heads of a pruned run are kept: kind, layer, head, kept (a bool)."""
    table = encoder_rows(table, path)
    return table[["kind", "layer", "head", "kept"]].assign(kept=table["kept"] == 1)


def evaluated(table: pd.DataFrame, _: Path) -> pd.DataFrame:
    """The rows of a learning curve at which the model was evaluated on dev."""
    return table.dropna(subset="dev_loss")


def of_first_split(table: pd.DataFrame, _: Path) -> pd.DataFrame:
    """The rows of a task's first dev set."""
    return table[table["split"] == table["split"].iloc[0]].reset_index(drop=True)


def tree_edges(table: pd.DataFrame, _: Path) -> pd.DataFrame:
    """Edges of attribution trees, with types that an empty table keeps."""
    return table.astype({"between": bool, "distance": float})


def sweeps(table: pd.DataFrame, path: str | Path, runs: Sequence[Run]) -> pd.DataFrame:
    """Every run of the sweeps that start from the baselines `runs`, with their labels; `InputError` if one is missing.

    Cells that were not measured or do not apply are empty.
    """
    for run in runs:
        if where(table, run=run["run"], method="baseline").empty:
            none = f"no row is the baseline {run['run']}; delete it and rerun the pruning phase"
            raise InputError.at(path, none)
    labels = pd.DataFrame(runs)[["domain", "pair", "label"]].drop_duplicates().assign(trained=True)
    return labels.merge(table, on=["domain", "pair"])


def scores(content: Mapping[str, Any], path: Path) -> pd.DataFrame:
    """BLEU of the test set in one row: bleu, low, high, sentences, signature."""
    if "test" not in content:
        raise InputError.at(path, "there are no scores of split 'test'; translate that split first")
    columns = ("bleu", "low", "high", "sentences", "signature")
    return checked(pd.DataFrame([content["test"]]), path, columns, "models")


def glue_scores(content: Mapping[str, Any], path: Path) -> pd.DataFrame:
    """Scores of a fine-tuned run on its dev sets: split, metric, state (`TUNED`, `UNTUNED`), value, low, high, n.

    Untuned is the same model, with its new classifier, before the first update. Raises `InputError` if a part is
    missing.
    """
    missing = [name for name in ("task", TUNED, UNTUNED) if name not in content]
    if missing:
        lacking = f"the scores lack {', '.join(missing)}; delete the run's folder and fine-tune it again"
        raise InputError.at(path, lacking)
    rows = [
        (split, metric, state, *(values[metric][name] for name in ("value", "low", "high")), values["n"])
        for state in (TUNED, UNTUNED)
        for split, values in content[state].items()
        for metric in TASKS[content["task"]].metrics
    ]
    return pd.DataFrame(rows, columns=["split", "metric", "state", "value", "low", "high", "n"])


def plane(content: Mapping[str, Any], path: Path) -> pd.DataFrame:
    """Stress of the 2-D projection of heads, and the permutation test of layers, in one row."""
    return checked(pd.DataFrame([content]), path, ("stress",), "representations")


def pattern_facts(content: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """Quality of the pattern classifiers: see `headwork.heads.jobs.patterns.classify_maps`."""
    if "f1" not in content:
        raise InputError.at(path, "the file lacks f1; delete it and rerun the heads phase")
    return content


def examples(content: Sequence[Mapping[str, Any]], path: Path) -> pd.DataFrame:
    """Example sentences: sentence, pieces, rare (positions of the rarest tokens), maps (head name -> rows of weights).

    Raises `InputError` if a map is not square of the sentence's length.
    """
    table = checked(pd.DataFrame(content), path, ("sentence", "pieces", "rare", "maps"), "heads")
    for number, (pieces, maps) in enumerate(zip(table["pieces"], table["maps"], strict=True), start=1):
        for head, weights in maps.items():
            size = len(pieces)
            if {len(weights), *map(len, weights)} != {size}:
                wrong = f"example {number}: the map of {head} is not {size} by {size}; rerun the heads phase"
                raise InputError.at(path, wrong)
    return table


def task_maps(content: Sequence[Mapping[str, Any]], path: Path) -> pd.DataFrame:
    """Maps of chosen examples of a task: example, pieces, head (name), layer, number, pattern, clear, weights."""
    rows = []
    for example, shown in enumerate(content):
        for head, weights in shown["maps"].items():
            layer, number = map(int, head.rsplit(" ", 1)[-1].split("-"))
            told = shown["patterns"][head], shown["clear"][head]
            rows.append((example, shown["pieces"], head, layer, number, *told, weights))
    columns = ("example", "pieces", "head", "layer", "number", "pattern", "clear", "weights")
    return checked(pd.DataFrame(rows, columns=list(columns)), path, columns, "heads")
