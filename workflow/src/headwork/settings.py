"""Checks of config and run sheets together, before anything runs.

A JSON schema checks types and spelling (`headwork.config`). This module checks what a schema cannot: that ids exist,
that a run's objective, architecture and recipe are compatible, that runs do not depend on themselves, and that gates
are valid.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.config import check, located
from headwork.corpora.parallel.cleaning import Cleaning
from headwork.corpora.parallel.splits import Shares
from headwork.errors import InputError, SettingError
from headwork.models.architectures.shapes import BERT, Architecture, BertArchitecture
from headwork.models.loading.fetching.files import check_files
from headwork.models.loading.fetching.from_wheel import PREFIX
from headwork.models.loading.fetching.named_model import NamedModel
from headwork.models.training.recipe import Recipe
from headwork.options import options, spelling
from headwork.papers.study import Study, read_study
from headwork.parses.relations import Relations
from headwork.run_sheets import LEARNED, mask_run, read_sheets

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


def checked(
    config: dict[str, Any],
    root: Path,
    files: Sequence[str | Path],
    given: Mapping[str, Any] | None = None,
) -> tuple[pd.DataFrame, dict[str, Study]]:
    """The run sheets and the studies of a config, all three checked; `files` are those that the config was read from,
    and `given` are the settings of the command line.

    Raises `InputError` with file and line for whatever `check`, `read_sheets`, `read_study` and the checks of this
    module refuse.
    """
    try:
        check(config, root / "workflow/schemas/config.schema.yaml", "config")
        check_models(config["architectures"])
        check_recipes(config["recipes"])
        check_texts(config)
        runs = read_sheets(config["runs"], root / "workflow/schemas/runs.schema.yaml", root)
        check_runs(runs, config)
        check_relevance(config["relevance"])
        studies = {study: read_study(root / f"config/papers/{study}.yaml") for study in config["papers"]}
        check_ids(config, studies)
    except SettingError as error:
        raise (located(error, files, given) if error.name == "config" else error) from error
    return runs, studies


def check_runs(runs: pd.DataFrame, config: dict[str, Any]) -> None:
    """Raise `InputError` if a run names an unknown corpus, architecture, recipe or run, or depends on itself.

    Also for an architecture or recipe of another objective, initial weights of another shape, and invalid gates: a mask
    of a run without gates, a penalty or a target without learned gates, both at once, or a target above the number of
    heads. `runs` is what `read_sheets` returns.
    """
    places, rows = runs.attrs["places"], {row["run"]: row for row in runs.to_dict("records")}
    for (path, line), row in zip(places, rows.values(), strict=True):
        sections = {
            "corpus": TRAINED_ON[row["objective"]],
            "architecture": ("architectures",),
            "recipe": ("recipes",),
        }
        for column, names in sections.items():
            parts = [part for name in names for part in config.get(name, {})]
            if row[column] not in parts:
                known = spelling(row[column], parts)
                raise InputError.at(path, f"no {column} '{row[column]}' in the config; {known}", line)
        _check_kinds(row, config, path, line)
        _check_start(row, rows, config, path, line)
        _check_gates(row, rows, config["architectures"][row["architecture"]], path, line)
    for (path, line), run in zip(places, rows, strict=True):
        circle = _circle(run, rows)
        if circle:
            cycle = " -> ".join(circle)
            raise InputError.at(
                path, f"runs depend on each other in a cycle; change an init_run or a mask: {cycle}", line
            )


def _check_kinds(row: Row, config: dict[str, Any], path: str | Path, line: int) -> None:
    name, objective = f"run '{row['run']}' ({row['objective']})", row["objective"]
    (section, *_) = (part for part in TRAINED_ON[objective] if row["corpus"] in config.get(part, {}))
    allowed, shape = SHAPES[objective, section], _kind(config["architectures"][row["architecture"]])
    if shape not in allowed:
        wanted = " or ".join(allowed)
        raise InputError.at(
            path, f"{name} has the architecture '{row['architecture']}', {shape}; give it {wanted}", line
        )
    tuning = objective == "classification"
    if ("epochs" in config["recipes"][row["recipe"]]) != tuning:
        kind = "fine-tuning, with `epochs`" if tuning else "training, with `steps`"
        raise InputError.at(path, f"{name} has the recipe '{row['recipe']}'; give it one of {kind}", line)


def _kind(architecture: Mapping[str, Any]) -> str:
    if "model" in architecture:
        return NAMED
    return ENCODER if architecture.get("family") == BERT else ENCODER_DECODER


def _check_start(
    row: Row, rows: Mapping[str, Row], config: dict[str, Any], path: str | Path, line: int
) -> None:
    name, start = f"run '{row['run']}'", row["init_run"]
    of_encoder = config["recipes"][row["recipe"]].get("start") == "encoder"
    if of_encoder and start is None:
        raise InputError.at(path, f"{name} needs the encoder of another run; name it in init_run", line)
    if start is not None and start not in rows:
        raise InputError.at(path, f"{name} has the init_run '{start}', which is not in the run sheets", line)
    if row["objective"] == "classification" and start is None:
        raise InputError.at(
            path, f"{name} is fine-tuned and needs initial weights; name a run in init_run", line
        )
    if start is not None and (row["objective"] == "translation") != (
        rows[start]["objective"] == "translation"
    ):
        theirs = rows[start]["objective"]
        raise InputError.at(
            path,
            f"{name} ({row['objective']}) cannot start from '{start}', a model of another kind ({theirs})",
            line,
        )
    if start is not None and not of_encoder:
        names = row["architecture"], rows[start]["architecture"]
        # the other run's own line tells if there is no such architecture
        shapes = [config["architectures"].get(name, {}) for name in names]
        ours, theirs = ({key: shape[key] for key in shape if key not in FREE} for shape in shapes)
        if ours != theirs and NAMED not in map(_kind, shapes):
            raise InputError.at(
                path,
                f"{name} has the architecture '{names[0]}', but '{start}', whose weights it starts from, has "
                f"'{names[1]}', which is another shape; give both the same",
                line,
            )


def _check_gates(
    row: Row, rows: Mapping[str, Row], architecture: dict[str, Any], path: str | Path, line: int
) -> None:
    name, gates, target, mask = f"run '{row['run']}'", row["gates"], row["target"], mask_run(row["gates"])
    if gates != "none" and row["objective"] != "translation":
        raise InputError.at(path, f"{name}: gates are for translation models; set them to none", line)
    if mask is not None and mask not in rows:
        raise InputError.at(path, f"{name} has a mask of '{mask}', which is not in the run sheets", line)
    if mask is not None and rows[mask]["gates"] == "none":
        raise InputError.at(
            path, f"{name} has a mask of '{mask}', which has no gates; name a run with gates", line
        )
    if gates not in LEARNED:
        if row["penalty"] or target is not None:
            has = "a penalty" if row["penalty"] else "a target"
            raise InputError.at(
                path, f"{name} has {has}, but no learned gates; set gates to {' or '.join(LEARNED)}", line
            )
        return
    if target is not None and row["penalty"]:
        raise InputError.at(path, f"{name} has a penalty and a target; leave one of them empty", line)
    before = rows.get(row["init_run"])
    if before is not None and before["gates"] != "none":
        theirs = before["target"]
        if before["gates"] != gates:
            raise InputError.at(
                path,
                f"{name} has gates in '{gates}', but '{row['init_run']}', from which it starts, has "
                f"'{before['gates']}'; give both the same gates",
                line,
            )
        if target is not None and theirs is not None and target >= theirs:
            raise InputError.at(
                path,
                f"{name} is to keep {target} heads, but '{row['init_run']}', from which it starts, keeps {theirs}; "
                "choose fewer",
                line,
            )
    heads = _heads_with_gates(gates, architecture)
    if target is not None and heads is not None and target > heads:
        raise InputError.at(
            path, f"{name} is to keep {target} heads, but {heads} have gates; choose 0 to {heads}", line
        )


def _heads_with_gates(gates: str, architecture: dict[str, Any]) -> int | None:
    """Return how many heads of that architecture have gates; None if it lacks a key (training reports that)."""
    try:
        encoder = architecture["heads"] * architecture["encoder_layers"]
        decoder = (
            2 * (architecture.get("decoder_heads") or architecture["heads"]) * architecture["decoder_layers"]
        )
        return encoder if gates == "encoder" else encoder + decoder
    except (KeyError, TypeError):
        return None


def _circle(run: str, rows: Mapping[str, Row]) -> list[str]:
    """Return the cycle of runs by which `run` depends on itself, through initial weights or masks; [] if none."""
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


def check_models(architectures: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `InputError` for an architecture that no model has: heads that do not divide the width, for instance.

    Also for a model by name that is none: a package without a version, or a folder that is not there or lacks a file.
    """
    kinds = {NAMED: NamedModel, ENCODER: BertArchitecture, ENCODER_DECODER: Architecture}
    for name, architecture in architectures.items():
        kind = _kind(architecture)
        _as_options(kinds[kind], architecture, ("architectures", name))
        if kind == NAMED:
            try:
                _check_folder(Path(architecture["model"]))
            except InputError as error:
                raise SettingError("config", ("architectures", name, "model"), str(error)) from error


def check_recipes(recipes: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `InputError` for a recipe whose numbers do not fit together: a mean of more checkpoints than there are."""
    beside = ("segments", "masking")
    for name, recipe in recipes.items():
        if "epochs" not in recipe:
            own = {key: value for key, value in recipe.items() if key not in beside}
            _as_options(Recipe, own, ("recipes", name))


def check_texts(config: Mapping[str, Any]) -> None:
    """Raise `InputError` for shares that leave no training text, rules of cleaning that nothing passes, or a relation
    that is none of Universal Dependencies.
    """
    for section in ("corpora", "texts"):
        for name, entry in config[section].items():
            _as_options(Shares, entry.get("splits"), (section, name, "splits"))
            _as_options(Cleaning, entry.get("cleaning"), (section, name, "cleaning"))
    _as_options(Relations, config["heads"]["relations"], ("heads", "relations"))


def _as_options(kind: type, settings: Mapping[str, Any] | None, steps: tuple[str, ...]) -> None:
    try:
        options(kind, settings, steps[0].removesuffix("s"))
    except InputError as error:
        raise SettingError("config", steps, str(error)) from error


def _check_folder(model: Path) -> None:
    """`InputError` if that is the path of a folder, and the folder is not there, or no model to load."""
    if model.is_dir():
        check_files(model, str(model))
    elif not str(model).startswith(PREFIX):
        # a name of the hub is "name" or "owner/name"; it is a path if what stands above it is a folder
        is_path = model.is_absolute() or str(model).startswith(("~", "..")) or len(model.parts) > 2
        if is_path or (len(model.parts) == 2 and model.parent.is_dir()):
            beside = model.parent.iterdir() if model.parent.is_dir() else ()
            known = sorted(folder.name for folder in beside if folder.is_dir())
            raise InputError(
                f"there is no folder '{model}'" + (f"; {spelling(model.name, known)}" if known else "")
            )


def check_papers(runs: pd.DataFrame, papers: Mapping[str, Any]) -> None:
    """Raise `InputError` if a study of the config names a run that is in no sheet."""
    for study, entry in papers.items():
        parts = {part: entry.get(part, {}) for part in ("runs", "untrained")}
        parts |= {f"sweeps.{gates}": domains for gates, domains in entry.get("sweeps", {}).items()}
        for part, domains in parts.items():
            for domain, pairs in domains.items():
                for pair, run in pairs.items():
                    if run is not None and run not in runs.index:
                        steps = ("papers", study, *part.split("."), domain, pair)
                        known = spelling(run, list(runs.index))
                        raise SettingError("config", steps, f"no run '{run}' in the run sheets; {known}")


def check_ids(config: dict[str, Any], studies: Mapping[str, Any]) -> None:
    """Raise `InputError` if the config names an unknown parser, or a domain or pair that no item of a study has.

    `studies` maps names to what `headwork.papers.study.read_study` returns.
    """
    for section, keys in {"corpora": ("parser", "treebank"), "texts": ("treebank",)}.items():
        known = [*config["parsers"], *(["gold"] if section == "corpora" else [])]
        for name, entry in config[section].items():
            for key in keys:
                _known([entry[key]] if key in entry else [], known, (section, name, key), "parser")
    swept = set()
    for study, entry in config["papers"].items():
        items = studies[study].items
        roles = {role for item in items for role in item.roles}
        swept |= {domain for item in items if item.sweeps for domain, _ in item.roles}
        parts = {part: entry.get(part, {}) for part in ("runs", "untrained")}
        parts |= {f"sweeps.{gates}": domains for gates, domains in entry.get("sweeps", {}).items()}
        for part, domains in parts.items():
            steps = ("papers", study, *part.split("."))
            _known(domains, {domain for domain, _ in roles}, steps, f"domain of {study}")
            for domain, pairs in domains.items():
                known = {pair for role, pair in roles if role == domain}
                _known(pairs, known, (*steps, domain), f"pair of {study}")
    steps = ("pruning", "removed", "domains")
    _known(config["pruning"]["removed"]["domains"], swept, steps, "domain with sweeps")


def _known(names: Iterable[str], known: Iterable[str], steps: tuple[str, ...], kind: str) -> None:
    for name in names:
        if name not in known:
            raise SettingError("config", steps, f"no {kind} '{name}'; {spelling(name, sorted(known))}")


def check_relevance(relevance: dict[str, Any]) -> None:
    """Raise `InputError` if the prefix is the run's own translations of a split that is not translated."""
    split = relevance["split"]
    if relevance.get("prefix") == "hypothesis" and split != "test":
        raise SettingError(
            "config",
            ("relevance", "split"),
            f"the prefix 'hypothesis' needs translations of '{split}', which are not made; set it to test",
        )
