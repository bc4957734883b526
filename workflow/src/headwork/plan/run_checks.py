"""Checks of the run sheets against the config: what a run names must exist, and fit its objective.

A run trains an architecture on a corpus by a recipe, perhaps from another run's weights and with gates.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.settings.models import BERT
from headwork.settings.run_sheets import LEARNED, mask_run
from headwork.settings.sentences import spelling

Row = Mapping[str, Any]  # of a run sheet

# by objective: the config sections whose entries the column `corpus` may name
TRAINED_ON = {
    "translation": ("corpora",),
    "lm": ("corpora",),
    "mlm": ("texts", "corpora"),
    "classification": ("tasks",),
}
# by objective and section: the permitted kinds of architecture
ENCODER = "a BERT (`family: bert`)"
ENCODER_DECODER = "a translation model that is trained here (`family: pegasus` or `marian`)"
NAMED = "a model by name (`model`)"
SHAPES = {
    ("translation", "corpora"): (ENCODER_DECODER,),
    ("lm", "corpora"): (ENCODER_DECODER,),
    ("mlm", "corpora"): (ENCODER_DECODER, NAMED),
    ("mlm", "texts"): (ENCODER, NAMED),
    ("classification", "tasks"): (ENCODER, NAMED),
}
# keys of architectures on which trained weights do not depend
FREE = ("dropout", "attention_dropout", "initialisation", "spread", "positions")


def check_runs(runs: pd.DataFrame, config: dict[str, Any]) -> None:
    """Raise `InputError` if a run names an unknown corpus, architecture, recipe or run, or depends on itself.

    Also for an architecture or recipe of another objective, initial weights of another shape, and invalid gates: a mask
    of a run without gates, a penalty or a target without learned gates, both at once, or a target above the number of
    heads. `runs` is what `read_sheets` returns.
    """
    places, rows = runs.attrs["places"], {row["run"]: row for row in runs.to_dict("records")}
    for (path, line), row in zip(places, rows.values(), strict=True):
        # each later check stands on what the ones before it have found to be there
        problems = chain(
            _names(row, config), _kinds(row, config), _start(row, rows, config), _gates(row, rows, config)
        )
        if problem := next(problems, None):
            raise InputError.at(path, problem, line)
    for (path, line), run in zip(places, rows, strict=True):
        if circle := _circle(run, rows):
            message = "runs depend on each other in a cycle; change an init_run or a mask: " + " -> ".join(
                circle
            )
            raise InputError.at(path, message, line)


def _names(row: Row, config: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the names in a row."""
    objective = row["objective"]
    sections = {
        "corpus": TRAINED_ON[objective],
        "architecture": ("architectures",),
        "recipe": ("recipes",),
    }
    for column, names in sections.items():
        parts = [part for name in names for part in config.get(name, {})]
        if row[column] not in parts:
            yield f"no {column} '{row[column]}' in the config; {spelling(row[column], parts)}"


def _kinds(row: Row, config: dict[str, Any]) -> Iterator[str]:
    """What does not fit the objective."""
    name, objective = f"run '{row['run']}' ({row['objective']})", row["objective"]
    (section, *_) = (part for part in TRAINED_ON[objective] if row["corpus"] in config.get(part, {}))
    allowed, shape = SHAPES[objective, section], kind_of(config["architectures"][row["architecture"]])
    if shape not in allowed:
        wanted = " or ".join(allowed)
        yield f"{name} has the architecture '{row['architecture']}', {shape}; give it {wanted}"
    text = config.get("texts", {}).get(row["corpus"]) if section == "texts" else None
    trained = config["recipes"][row["recipe"]].get("steps") != 0
    if text is not None and not text.get("subwords") and (trained or shape != NAMED):
        yield (
            f"{name} is trained on the text '{row['corpus']}', which has no `subwords`, so that all of it is measured; "
            "give it `subwords`, or the run a model by name and a recipe of 0 steps"
        )
    tuning = objective == "classification"
    if ("epochs" in config["recipes"][row["recipe"]]) != tuning:
        kind = "fine-tuning, with `epochs`" if tuning else "training, with `steps`"
        yield f"{name} has the recipe '{row['recipe']}'; give it one of {kind}"


def kind_of(architecture: Mapping[str, Any]) -> str:
    """The kind of architecture: `ENCODER`, `ENCODER_DECODER` or `NAMED`."""
    if "model" in architecture:
        return NAMED
    return ENCODER if architecture.get("family") == BERT else ENCODER_DECODER


def _start(row: Row, rows: Mapping[str, Row], config: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the run that a run starts from."""
    name, start, objective = f"run '{row['run']}'", row["init_run"], row["objective"]
    of_encoder = config["recipes"][row["recipe"]].get("start") == "encoder"
    if of_encoder and start is None:
        yield f"{name} needs the encoder of another run; name it in init_run"
    if start is not None and start not in rows:
        yield f"{name} has the init_run '{start}', which is not in the run sheets"
    if objective == "classification" and start is None:
        yield f"{name} is fine-tuned and needs initial weights; name a run in init_run"
    if start is None:
        return
    theirs = rows[start]["objective"]
    if (objective == "translation") != (theirs == "translation"):
        yield f"{name} ({objective}) cannot start from '{start}', a model of another kind ({theirs})"
    if not of_encoder:
        names = row["architecture"], rows[start]["architecture"]
        # the other run's own line tells if there is no such architecture
        shapes = [config["architectures"].get(name, {}) for name in names]
        ours, theirs = ({key: shape[key] for key in shape if key not in FREE} for shape in shapes)
        if ours != theirs and NAMED not in map(kind_of, shapes):
            yield (
                f"{name} has the architecture '{names[0]}', but '{start}', whose weights it starts from, has "
                f"'{names[1]}', which is another shape; give both the same"
            )


def _gates(row: Row, rows: Mapping[str, Row], config: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the gates of a run."""
    name, gates, target, mask = f"run '{row['run']}'", row["gates"], row["target"], mask_run(row["gates"])
    if gates != "none" and row["objective"] != "translation":
        yield f"{name}: gates are for translation models; set them to none"
    if mask is not None and mask not in rows:
        yield f"{name} has a mask of '{mask}', which is not in the run sheets"
    if mask is not None and rows[mask]["gates"] == "none":
        yield f"{name} has a mask of '{mask}', which has no gates; name a run with gates"
    if gates not in LEARNED:
        if row["penalty"] or target is not None:
            has = "a penalty" if row["penalty"] else "a target"
            yield f"{name} has {has}, but no learned gates; set gates to {' or '.join(LEARNED)}"
        return
    if target is not None and row["penalty"]:
        yield f"{name} has a penalty and a target; leave one of them empty"
    before = rows.get(row["init_run"])
    if before is not None and before["gates"] != "none":
        start, theirs = f"'{row['init_run']}', from which it starts,", before["target"]
        if before["gates"] != gates:
            yield (
                f"{name} has gates in '{gates}', but {start} has '{before['gates']}'; give both the same gates"
            )
        if target is not None and theirs is not None and target >= theirs:
            yield f"{name} is to keep {target} heads, but {start} keeps {theirs}; choose fewer"
    heads = _heads_with_gates(gates, config["architectures"][row["architecture"]])
    if target is not None and heads is not None and target > heads:
        yield f"{name} is to keep {target} heads, but {heads} have gates; choose 0 to {heads}"


def _heads_with_gates(gates: str, architecture: dict[str, Any]) -> int | None:
    """How many heads of that architecture have gates; None if it lacks a key (training reports that)."""
    try:
        encoder = architecture["heads"] * architecture["encoder_layers"]
        decoder = (
            2 * (architecture.get("decoder_heads") or architecture["heads"]) * architecture["decoder_layers"]
        )
        return encoder if gates == "encoder" else encoder + decoder
    except (KeyError, TypeError):
        return None


def _circle(run: str, rows: Mapping[str, Row]) -> list[str]:
    """The cycle of runs by which `run` depends on itself, through initial weights or masks; [] if none."""
    waiting = [[run]]
    seen = set()
    while waiting:
        chain = waiting.pop()
        row = rows[chain[-1]]
        for other in filter(None, (row["init_run"], mask_run(row["gates"]))):
            if other == run:
                return [*chain, run]
            if other not in seen:
                seen.add(other)
                waiting.append([*chain, other])
    return []
