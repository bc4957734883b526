"""Readers of the tables that items and claims need, which check columns and rows.

`gather` joins several runs into one tidy table, with the labels of the run (run, domain, pair, label, trained) in front
of each row.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import DamagedFile, InputError
from headwork.run.outputs import read_parquet

STATISTICS = ("kind", "layer", "head", "statistic", "key", "value", "count")
FUNCTIONS = ("kind", "layer", "head", "function", "score", "baseline", "margin", "count", "holds")
RELATIONS = ("relation", "offset", "count")
PERSONS = ("person", "count")
GATES = ("kind", "layer", "head", "kept")
SWEEPS = (
    *("run", "domain", "pair", "method", "gates", "of", "seed", "penalty", "target", "heads", "kept"),
    *("bleu", "low", "high", "parameters", "parameters_full"),
    *("sentences_per_second", "sentences_per_second_full"),
)
KEPT = ("run", "kind", "layer", "heads", "kept")
LABELS = ("run", "domain", "pair", "label", "trained", "seed")  # the last where there are several


def checked(table: pd.DataFrame, path: str | Path, columns: Sequence[str], maker: str) -> pd.DataFrame:
    """Return the table; InputError if it has no rows or lacks one of `columns`. `maker` names the phase to rerun."""
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise InputError.at(
            path, f"the table lacks the column(s) {', '.join(missing)}; delete the file and rerun {maker}"
        )
    if table.empty:
        raise InputError.at(path, f"the table has no rows; delete the file and rerun {maker}")
    return table


def csv_table(path: str | Path, columns: Sequence[str], maker: str, **reading: Any) -> pd.DataFrame:
    """Read a CSV table with these columns; DamagedFile if it is none. `maker` names the phase to rerun."""
    try:
        table = pd.read_csv(path, **reading)
    except pd.errors.EmptyDataError:
        raise DamagedFile.at(path, f"the file is empty; {maker} makes it") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise DamagedFile.at(path, f"the file is not a CSV table ({error})") from None
    return checked(table, path, columns, maker)


def encoder_rows(table: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    """Return the rows of encoder heads; InputError if there are none."""
    rows = table[table["kind"] == "encoder"].reset_index(drop=True)
    if rows.empty:
        raise InputError.at(path, "no row has the kind encoder; delete the file and rerun the heads phase")
    return rows


def read_curve(path: str | Path) -> pd.DataFrame:
    """The rows of `read_functions` after each snapshot of a training, with its step."""
    return read_functions(path, ("step",))


def read_history(path: str | Path) -> pd.DataFrame:
    """Step and dev_loss of a training, where it was evaluated."""
    return csv_table(path, ("step", "dev_loss"), "a training").dropna(subset="dev_loss")


def read_functions(path: str | Path, more: Sequence[str] = ()) -> pd.DataFrame:
    """One row per encoder head and candidate function: score, baseline, margin, count, holds (a bool); and `more`."""
    table = encoder_rows(csv_table(path, (*more, *FUNCTIONS), "the heads phase"), path)
    verdicts = table["holds"].astype(str).str.lower()
    unclear = ~verdicts.isin(["true", "false"])
    if unclear.any():
        raise InputError.at(
            path, f"holds is {verdicts[unclear].iloc[0]!r} in a row; it must be True or False"
        )
    return table.assign(holds=verdicts == "true")


def read_statistics(path: str | Path) -> pd.DataFrame:
    """Head statistics of the encoder: statistic, key, value, count per layer and head."""
    table = read_parquet(path)
    return encoder_rows(checked(table, path, STATISTICS, "the heads phase"), path)


def read_relations(path: str | Path) -> pd.DataFrame:
    """Counts of the offset of dependent from head, in words, for each relation."""
    return csv_table(path, RELATIONS, "the parses phase")


def read_persons(path: str | Path) -> pd.DataFrame:
    """Number of subjects of each person; `person` is "1", "2" or "3"."""
    return csv_table(path, PERSONS, "the parses phase", dtype={"person": str})


def read_relevance(path: str | Path) -> pd.DataFrame:
    """Each encoder head's share of its layer's relevance as `value`, with the number of steps as `count`."""
    table = read_statistics(path)
    rows = table[table["statistic"] == "relevance"].reset_index(drop=True)
    if rows.empty:
        raise InputError.at(
            path, "no row has the statistic relevance; delete it and rerun the relevance phase"
        )
    return rows


def read_gates(path: str | Path) -> pd.DataFrame:
    """Which encoder heads of a pruned run are kept: layer, head, kept (a bool)."""
    table = encoder_rows(csv_table(path, GATES, "the training of the run"), path)
    return table[list(GATES)].assign(kept=table["kept"] == 1)


def read_sweeps(path: str | Path, runs: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Every run of the sweeps that start from the baselines `runs`, with their labels; columns `SWEEPS`.

    Reads results/pruning/<study>.runs.csv; cells that were not measured or do not apply are empty. Raises InputError if
    a baseline is missing.
    """
    table = csv_table(path, SWEEPS, "the pruning phase", dtype={"run": str, "of": str})[list(SWEEPS)]
    for run in runs:
        if not ((table["run"] == run["run"]) & (table["method"] == "baseline")).any():
            raise InputError.at(
                path, f"no row is the baseline {run['run']}; delete it and rerun the pruning phase"
            )
    labels = pd.DataFrame(runs)[["domain", "pair", "label"]].drop_duplicates().assign(trained=True)
    return labels.merge(table, on=["domain", "pair"])


def read_kept(path: str | Path) -> pd.DataFrame:
    """Number of heads of each run of a study's sweeps, and of heads kept, per kind and layer."""
    return csv_table(path, KEPT, "the pruning phase", dtype={"run": str})


def read_scores(path: str | Path, split: str = "test") -> pd.DataFrame:
    """BLEU of one split as a one-row table: bleu, low, high, sentences, signature."""
    columns = ("bleu", "low", "high", "sentences", "signature")
    scores = json.loads(Path(path).read_text(encoding="utf-8"))
    if split not in scores:
        raise InputError.at(path, f"there are no scores of split {split!r}; translate that split first")
    return checked(pd.DataFrame([scores[split]]), path, columns, "the scoring of the run")


def read_examples(path: str | Path) -> pd.DataFrame:
    """Example sentences: sentence, pieces, rare (positions of the rarest tokens), maps (head name -> rows of weights).

    Raises InputError if a map is not square of the sentence's length.
    """
    table = pd.DataFrame(json.loads(Path(path).read_text(encoding="utf-8")))
    checked(table, path, ("sentence", "pieces", "rare", "maps"), "the heads phase")
    for number, (pieces, maps) in enumerate(zip(table["pieces"], table["maps"], strict=True), start=1):
        for head, weights in maps.items():
            if {len(weights), *map(len, weights)} != {len(pieces)}:
                raise InputError.at(
                    path,
                    f"example {number}: the map of {head} is not {len(pieces)} by {len(pieces)}; rerun the heads phase",
                )
    return table


def gather(
    paths: str | Sequence[str | Path],
    runs: Sequence[dict[str, Any]],
    read: Callable[[str | Path], pd.DataFrame],
) -> pd.DataFrame:
    """Join the tables of many runs: `paths[i]` belongs to `runs[i]`, whose labels (run, domain, pair, ...) come first.

    Raises InputError if the numbers of files and runs differ, or without runs.
    """
    paths = [paths] if isinstance(paths, str) else list(paths)
    if len(paths) != len(runs):
        raise InputError(f"{len(paths)} files were given for {len(runs)} runs; give one file for each run")
    if not runs:
        raise InputError("no run was given; name one under papers: <study>: runs: in the config")
    labelled = []
    for path, run in zip(paths, runs, strict=True):
        table = read(path)
        for place, name in enumerate(name for name in LABELS if name in run):
            table.insert(place, name, run[name])
        labelled.append(table)
    return pd.concat(labelled, ignore_index=True)
