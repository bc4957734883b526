"""A study's pruning sweeps as two tidy tables: a row per run, and a row per run, kind and layer.

A *sweep* has one trained run as baseline. It consists of the runs whose gates were learned on its weights, and of those
trained from scratch with the heads that one of these kept (Voita et al. 2019, section 6).
"""

import json
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.run.outputs import write_table

LABELS = ["run", "domain", "pair", "method", "gates", "of", "seed", "penalty", "target"]
SCORES = ["bleu", "low", "high"]
SIZES = ["parameters", "parameters_full"]
SPEEDS = ["sentences_per_second", "sentences_per_second_full"]
RUNS = [*LABELS, "heads", "kept", *SCORES, *SIZES, *SPEEDS]
HEADS = ["run", "kind", "layer", "heads", "kept"]

# side of a translation model, by kind of attention
SIDES = {"encoder": "encoder", "decoder": "decoder", "cross": "decoder"}


def gather_sweeps(input: Files, output: Files, runs: Sequence[Mapping[str, Any]]) -> None:
    """Gather the sweeps of a study, whose runs are given with their `LABELS`.

    Input: scores, config, run and gates (a file a run, in the folder of its model), removal and speed (in that of what
    is left of it). Output: runs (csv, see `runs_table`) and heads (csv, see `heads_table`).
    """
    models, smaller = (
        {path.parent.name: path.parent for path in files} for files in (input.scores, input.removal)
    )
    heads = heads_table(runs, models)
    write_table(output.runs, runs_table(runs, heads, models, smaller))
    write_table(output.heads, heads)


def heads_table(runs: Sequence[Mapping[str, Any]], models: Mapping[str, Path]) -> pd.DataFrame:
    """`HEADS`, a row per run, kind and layer: how many heads there are, and how many are kept.

    `models` has the folder of each run; gates.csv in it gives the heads kept, except for baselines. Raises `InputError`
    for gates that do not fit the model in the same folder.
    """
    rows = []
    for run in {run["run"]: run for run in runs}.values():  # two sweeps may share a baseline
        folder = models[run["run"]]
        kept = _kept(folder / "gates.csv") if run["method"] != "baseline" else {}
        sites = _sites(folder / "config.json")
        for site, gates in kept.items():
            if len(gates) != sites.get(site):
                raise InputError.at(
                    folder / "gates.csv",
                    f"gates of {len(gates)} heads for {site[0]} {site[1]}, which has {sites.get(site, 0)}; "
                    "train the run again",
                )
        rows += [
            (run["run"], *site, heads, sum(kept.get(site, [1] * heads))) for site, heads in sites.items()
        ]
    return pd.DataFrame(rows, columns=HEADS)


def runs_table(
    runs: Sequence[Mapping[str, Any]],
    heads: pd.DataFrame,
    models: Mapping[str, Path],
    smaller: Mapping[str, Path],
) -> pd.DataFrame:
    """`RUNS`, a row per run, in their order; heads and kept are sums over `heads`, a table of `heads_table`.

    `runs` give the `LABELS`. BLEU with its interval is that of scores.json in the folder of `models`. Parameters and
    sentences per second are those of removal.json and speed.json in the folder of `smaller`, and empty for runs
    without one; a baseline has its own parameters.
    """
    sums = heads.groupby("run")[["heads", "kept"]].sum()
    rows = []
    for run in runs:
        scores = _json(models[run["run"]] / "scores.json")["test"]
        row = {name: run[name] for name in LABELS} | {name: scores[name] for name in SCORES}
        if run["method"] == "baseline":
            row |= dict.fromkeys(SIZES, _json(models[run["run"]] / "run.json")["parameters"])
        if run["run"] in smaller:
            row |= _removal(smaller[run["run"]])
        rows.append(row | sums.loc[run["run"]].to_dict())
    table = pd.DataFrame(rows).reindex(columns=RUNS)
    return table.astype({name: "Int64" for name in ("seed", "target", "heads", "kept", *SIZES)})


def _removal(folder: Path) -> dict[str, Real]:
    """Return the parameters of a run after removal of its closed heads."""
    parameters = _json(folder / "removal.json")["parameters"]
    speed = _json(folder / "speed.json")["sentences_per_second"]
    return {
        "parameters": parameters["after"],
        "parameters_full": parameters["before"],
        "sentences_per_second": speed["smaller"],
        "sentences_per_second_full": speed["whole"],
    }


def _sites(path: Path) -> dict[tuple[str, int], int]:
    """The heads of each attention of a translation model, by kind and layer (from 1), from its config.json."""
    config = _json(path)
    try:
        return {
            (kind, layer): config[f"{side}_attention_heads"]
            for kind, side in SIDES.items()
            for layer in range(1, config[f"{side}_layers"] + 1)
        }
    except KeyError as error:
        raise InputError.at(
            path, f"the file is not the config of a translation model: it lacks {error}"
        ) from None


def _kept(path: Path) -> dict[tuple[str, int], list[int]]:
    """1 for each kept head and 0 for the others, by kind and layer."""
    table = pd.read_csv(path).sort_values("head", kind="stable")
    return {site: rows["kept"].tolist() for site, rows in table.groupby(["kind", "layer"], sort=False)}


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))
