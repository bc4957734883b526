"""Checks of config and run sheets together, before anything runs.

The models of settings check types, bounds and spelling, `run_checks` the rows of the run sheets. This module checks
what neither can: that ids exist, and that studies name runs of the sheets.
"""

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import InputError, SettingError
from headwork.models.loading.fetching import check_files
from headwork.plan.run_checks import check_runs
from headwork.settings.config import located
from headwork.settings.models import PACKAGE
from headwork.settings.run_sheets import STUDIES, read_sheets
from headwork.settings.scale import Config
from headwork.settings.sentences import spelling
from headwork.settings.studies import Study
from headwork.studies.study import DEFAULT, at_scale, read_studies
from headwork.studies.tables import TABLES

LEFT_TO_RIGHT = ("ForCausalLM", "LMHeadModel")  # ends of names of classes in `transformers`
LIBRARY = Path(__file__).parents[1] / "studies"
# objective -> what a run with it is called
KINDS = {
    "translation": "a translation model",
    "lm": "a language model",
    "mlm": "a masked language model",
    "classification": "a fine-tuned encoder",
}


def checked(
    config: dict[str, Any],
    root: Path,
    files: Sequence[str | Path],
    given: Mapping[str, Any] | None = None,
) -> tuple[pd.DataFrame, dict[str, Study]]:
    """The run sheets and the studies of a config, all three checked; `files` are those that the config was read from,
    and `given` are the settings of the command line.

    Raises `InputError` with file and line for whatever `Config.read`, `read_sheets`, `read_study` and the checks of
    this module refuse.
    """
    try:
        studies = read_studies(root / "workflow/studies")
        Config.read({**config, "studies": {}}, "config")
        config["studies"] = at_scale(studies, config)
        Config.read(config, "config")
        check_models(config["architectures"])
        check_distilled(config)
        runs = read_sheets(config["runs"], root)
        check_runs(runs, config)
        check_encoders(runs, config["architectures"])
        check_ids(config, studies)
        check_kinds(runs, config, read_sheets({STUDIES: DEFAULT}, root), studies)
        for study in studies.values():
            check_names(study, root / "workflow/studies" / study.key)
    except SettingError as error:
        raise found_at(error, config, files, root, given) from error
    return runs, studies


def found_at(
    error: SettingError,
    config: Mapping[str, Any],
    files: Sequence[str | Path],
    root: Path,
    given: Mapping[str, Any] | None = None,
) -> InputError:
    """The error with file and line of the value: in the config's `files`, or, of a study, in its study.yaml."""
    if error.name != "config":
        return error
    found = located(error, files, given)
    first, *steps = error.steps or ("",)
    if found is error and first == "studies" and len(steps) > 1:
        path = root / "workflow/studies" / str(steps[0]) / "study.yaml"
        for scale in (config["runs"].get(STUDIES), DEFAULT):
            inner = SettingError(error.name, ("scales", scale, *steps[1:]), error.problem)
            if (place := located(inner, [path])) is not inner:
                return place
    return found


def check_names(study: Study, folder: Path) -> None:
    """Raise `InputError` for an item without its module or `draw`, and for what an item or a claim names and is not
    there: a table that no job writes, published numbers, a domain or pair that no scale has runs of, a test or its
    parameters.
    """
    path = folder / "study.yaml"

    def known(names: Iterable[str], there: Iterable[str], of: str, kind: str) -> None:
        for name in names:
            if name not in there:
                raise InputError.at(path, f"{of} names no {kind} '{name}'; {spelling(name, sorted(there))}")

    scales = [
        (steps, domains) for runs in study.scales.values() for steps, domains in _runs_of(study.key, runs)
    ]
    roles = {(domain, pair) for _, domains in scales for domain, pairs in domains.items() for pair in pairs}
    domains = {domain for domain, _ in roles}
    numbers = [file.stem for file in folder.glob("published/*.csv")]
    for item in study.items:
        of = f"the item {item.key}"
        known(item.tables, TABLES, of, "table")
        known(item.published.values(), numbers, of, "file of published numbers")
        for domain, pair in item.roles:
            known([domain], domains, of, "domain with runs")
            known([pair], {other for role, other in roles if role == domain}, of, f"pair of {domain}")
        if "draw" not in _functions(folder / f"{item.key}.py", path, of):
            raise InputError.at(folder / f"{item.key}.py", "it has no function `draw`, which draws the item")
    if not study.claims:
        return
    shown = roles.union(*(item.beside for item in study.items))
    tests = _functions(folder / "claims.py", path, "the study has claims, and")
    for claim in study.claims:
        of = f"the claim {claim['claim']!r}"
        known([claim["test"]], tests, of, "test")
        for place, label in enumerate(("domain", "pair")):
            there = {role[place] for role in shown}
            known(_values(claim["select"].get(label, [])), there, of, f"{label} of an item")
        _check_parameters(claim, tests[claim["test"]], path)


def _functions(module: Path, study: Path, of: str) -> dict[str, ast.FunctionDef]:
    """The functions of a study's module by name, those that it imports of `headwork.studies` too; not imported here."""
    if not module.is_file():
        raise InputError.at(study, f"{of} has no module {module.name}; write one")
    found = {}
    for node in ast.parse(module.read_text(encoding="utf-8"), str(module)).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("headwork.studies."):
            source = LIBRARY.joinpath(*node.module.split(".")[2:]).with_suffix(".py")
            theirs = _functions(source, study, of) if source.is_file() else {}
            found |= {
                alias.asname or alias.name: theirs[alias.name] for alias in node.names if alias.name in theirs
            }
    return found


def _values(selected: Any) -> list[str]:
    """The values of a label that a claim selects, however they are written."""
    values = selected["any_of"] if isinstance(selected, Mapping) else selected
    return [*values] if isinstance(values, list | tuple) else [values]


def _check_parameters(claim: Mapping[str, Any], test: ast.FunctionDef, path: Path) -> None:
    """Raise `InputError` for parameters of a claim that its test lacks or misses."""
    names = [each.arg for each in (*test.args.args, *test.args.kwonlyargs)][1:]
    defaults = len(test.args.defaults) + sum(default is not None for default in test.args.kw_defaults)
    required = names[: len(names) - defaults] if defaults else names
    of = f"the claim {claim['claim']!r}: its test {test.name}"
    for name in claim["parameters"]:
        if name not in names:
            raise InputError.at(path, f"{of} has no parameter '{name}'; {spelling(name, names)}")
    for name in required:
        if name not in claim["parameters"]:
            raise InputError.at(path, f"{of} needs the parameter '{name}'")


def check_models(architectures: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `InputError` for a model by the path of a folder that is not there or lacks a file."""
    for name, architecture in architectures.items():
        if "model" in architecture:
            try:
                _check_folder(Path(architecture["model"]))
            except InputError as error:
                raise SettingError("config", ("architectures", name, "model"), str(error)) from error


def check_encoders(runs: pd.DataFrame, architectures: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `InputError` for a run that needs an encoder and names the folder of a model that reads left to right."""
    for row in runs.to_dict("records"):
        folder = Path(architectures[row["architecture"]].get("model", ""))
        if (
            row["objective"] in ("mlm", "classification")
            and folder.parts
            and (folder / "config.json").is_file()
        ):
            named = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or [
                ""
            ]
            if named[0].endswith(LEFT_TO_RIGHT):
                steps = ("architectures", row["architecture"], "model")
                problem = (
                    f"it is a {named[0]}, which reads from left to right; run '{row['run']}' needs an encoder"
                )
                raise SettingError("config", steps, problem)


def check_distilled(config: Mapping[str, Any]) -> None:
    """Raise `InputError` for a corpus with a distilled source that there is not, or that is of other languages."""
    texts = config.get("distilled") or {}
    for name, entry in config["corpora"].items():
        for number, source in enumerate(entry["sources"]):
            if source["type"] != "distilled":
                continue
            steps = ("corpora", name, "sources", number, "text")
            _known([source["text"]], texts, steps, "distilled text")
            for side in ("source", "target"):
                if entry[side] != texts[source["text"]][side]:
                    message = f"'{source['text']}' is not of {entry['source']} and {entry['target']}; choose another"
                    raise SettingError("config", steps, message)


def _check_folder(model: Path) -> None:
    """`InputError` if that is the path of a folder, and the folder is not there, or no model to load."""
    if model.is_dir():
        check_files(model, str(model))
    elif not str(model).startswith(PACKAGE):
        # a name of the hub is "name" or "owner/name"; it is a path if what stands above it is a folder
        is_path = model.is_absolute() or str(model).startswith(("~", "..")) or len(model.parts) > 2
        if is_path or (len(model.parts) == 2 and model.parent.is_dir()):
            beside = model.parent.iterdir() if model.parent.is_dir() else ()
            known = sorted(folder.name for folder in beside if folder.is_dir())
            raise InputError(
                f"there is no folder '{model}'" + (f"; {spelling(model.name, known)}" if known else "")
            )


def check_studies(runs: pd.DataFrame, settings: Mapping[str, Any]) -> None:
    """Raise `InputError` if a study of the config names a run that is in no sheet."""
    for study, entry in settings.items():
        for steps, domains in _runs_of(study, entry):
            for domain, pairs in domains.items():
                for pair, run in pairs.items():
                    if run is not None and run not in runs.index:
                        problem = f"no run '{run}' in the run sheets; {spelling(run, list(runs.index))}"
                        raise SettingError("config", (*steps, domain, pair), problem)


def check_kinds(
    runs: pd.DataFrame, config: Mapping[str, Any], default: pd.DataFrame, studies: Mapping[str, Study]
) -> None:
    """Raise `InputError` if a study is given a run of another kind than at the default scale, whose runs are `default`:
    a translation model where it is about an encoder. Also for a row of a sheet that names no study.
    """
    for (path, line), row in zip(runs.attrs["places"], runs.to_dict("records"), strict=True):
        if row["study"] not in studies:
            problem = f"no study '{row['study']}'; {spelling(row['study'], list(studies))}"
            raise InputError.at(path, problem, line)
    for key, study in studies.items():
        models = {
            (part, domain, pair): run
            for (*_, part), domains in _runs_of(key, study.scales.get(DEFAULT, {}))
            for domain, pairs in domains.items()
            for pair, run in pairs.items()
        }
        for steps, domains in _runs_of(key, config["studies"][key]):
            for domain, pairs in domains.items():
                for pair, run in pairs.items():
                    model = models.get((steps[-1], domain, pair))
                    if run not in runs.index or model not in default.index:
                        continue
                    ours, theirs = (
                        KINDS[table["objective"][name]] for table, name in ((runs, run), (default, model))
                    )
                    if ours != theirs:
                        problem = f"{key} is about {theirs} here; '{run}' is {ours}"
                        raise SettingError("config", (*steps, domain, pair), problem)


def _runs_of(study: str, entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The parts of a study's settings that map domains and pairs to runs, and the keys that lead to them."""
    for part in ("runs", "untrained"):
        yield ("studies", study, part), entry.get(part, {})
    for gates, domains in entry.get("sweeps", {}).items():
        yield ("studies", study, "sweeps", gates), domains


def check_ids(config: dict[str, Any], studies: Mapping[str, Any]) -> None:
    """Raise `InputError` if the config names an unknown parser, or a domain or pair that no item of a study has.

    `studies` maps names to what `headwork.studies.study.read_study` returns.
    """
    for section, keys in {"corpora": ("parser", "treebank"), "texts": ("treebank",)}.items():
        known = [*config["parsers"], *(["gold"] if section == "corpora" else [])]
        for name, entry in config[section].items():
            for key in keys:
                _known([entry[key]] if key in entry else [], known, (section, name, key), "parser")
    swept = set()
    for study, entry in config["studies"].items():
        items = studies[study].items
        roles = {role for item in items for role in item.roles}
        swept |= {domain for item in items if item.sweeps for domain, _ in item.roles}
        for steps, domains in _runs_of(study, entry):
            _known(domains, {domain for domain, _ in roles}, steps, f"domain of {study}")
            for domain, pairs in domains.items():
                known = {pair for role, pair in roles if role == domain}
                _known(pairs, known, (*steps, domain), f"pair of {study}")
    steps = ("pruning", "removed", "domains")
    _known(config["pruning"]["removed"]["domains"], swept, steps, "domain with sweeps")


def _known(names: Iterable[str], known: Iterable[str], steps: tuple[str | int, ...], kind: str) -> None:
    for name in names:
        if name not in known:
            raise SettingError("config", steps, f"no {kind} '{name}'; {spelling(name, sorted(known))}")
