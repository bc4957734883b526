"""How far the trainings of a scale are: ``headwork progress config/workstation.yaml``.

Reads what trainings leave behind, so it can be asked while they run: run.json and history.csv of finished models, and
the checkpoints of those that are under way.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.models.training.resume import SEAL, WorkFolder

COLUMNS = ["run", "state", "step", "steps", "dev_loss", "dev_accuracy", "tokens_per_second", "hours_left"]
ALIKE = ["objective", "architecture", "tokens_per_batch"]  # runs that take as long for a step


def progress(
    rows: Sequence[Mapping[str, Any]],
    recipes: Mapping[str, Mapping[str, Any]],
    models: str | Path,
    checkpoints: str | Path,
) -> pd.DataFrame:
    """One row per run of the sheet that trains: `COLUMNS`, `state` being done, training or waiting.

    `rows` are those of the run sheet, `recipes` the config's; `models` has a folder for each finished run,
    `checkpoints` one for each run under way. `tokens_per_second` are source or target tokens with padding, by the
    clock: of a training that was interrupted between its last two checkpoints it says too little. `hours_left` of a run
    that waits is that of runs with the same objective, architecture and batch size, NaN if there is none yet.
    """
    found = []
    for row in rows:
        recipe = recipes[row["recipe"]]
        if recipe.get("steps") == 0:
            continue
        batch = recipe.get("tokens_per_batch")
        known = _done(Path(models) / row["run"]) or _under_way(Path(checkpoints) / row["run"])
        own = {"state": "waiting", "steps": recipe.get("steps"), "seconds": None} | known
        same = (row["objective"], row["architecture"], batch)
        found.append({"run": row["run"], **own, **dict(zip(ALIKE, same, strict=True))})
    table = pd.DataFrame(found, columns=[*COLUMNS[:-2], "seconds", *ALIKE])
    numbers = table.columns.difference(["run", "state", "objective", "architecture"])
    table[numbers] = table[numbers].apply(pd.to_numeric)
    table["tokens_per_second"] = (table["tokens_per_batch"] / table["seconds"]).round()
    usual = table.groupby(ALIKE, dropna=False)["seconds"].transform("mean")
    left = table["steps"] - table["step"].fillna(0)
    table["hours_left"] = (left * table["seconds"].fillna(usual) / 3600).round(3)
    table.loc[table["state"] == "done", "hours_left"] = 0.0
    return table[COLUMNS].astype({"step": "Int64", "steps": "Int64", "tokens_per_second": "Int64"})


def _done(folder: Path) -> dict[str, Any]:
    """What a finished run says of itself; nothing if it is not finished. `seconds` are those of a step."""
    if not (folder / "run.json").is_file():
        return {}
    last = pd.read_csv(folder / "history.csv").iloc[-1]
    training = json.loads((folder / "run.json").read_text(encoding="utf-8")).get("training", {})
    # of a training that went on from a checkpoint only the last stretch was timed
    steps = last["step"] - (training.get("resumed_from") or 0)
    seconds = training["seconds"] / steps if steps and "seconds" in training else None
    return {"state": "done", "step": last["step"], "steps": last["step"], "seconds": seconds} | {
        name: last.get(name) for name in ("dev_loss", "dev_accuracy")
    }


def _under_way(folder: Path) -> dict[str, Any]:
    """The same of the last whole checkpoints of a training."""
    whole = WorkFolder(folder).checkpoints()
    if not whole:
        return {}
    state = json.loads((whole[-1] / "trainer_state.json").read_text(encoding="utf-8"))
    seen = [row for row in state["log_history"] if "eval_loss" in row][-1:]
    seconds = None
    if len(whole) > 1:
        steps = WorkFolder.step_of(whole[-1]) - WorkFolder.step_of(whole[-2])
        seconds = ((whole[-1] / SEAL).stat().st_mtime - (whole[-2] / SEAL).stat().st_mtime) / steps
    return {
        "state": "training",
        "step": state["global_step"],
        "steps": state["max_steps"],
        "seconds": seconds,
        "dev_loss": seen[0]["eval_loss"] if seen else None,
        "dev_accuracy": seen[0].get("eval_accuracy") if seen else None,
    }


def summary(table: pd.DataFrame) -> str:
    """A table of `progress` as text, and below it how many runs are done and the hours that are left."""
    lines = table.to_string(index=False, na_rep="", float_format=lambda value: f"{value:.3g}")
    unknown = int(table["hours_left"].isna().sum())
    beside = f", and {unknown} runs like none before" if unknown else ""
    done, left = (table["state"] == "done").sum(), table["hours_left"].sum()
    return f"{lines}\n{done} of {len(table)} done, {left:.1f} hours left{beside}"
