"""Settings are checked before anything runs: the config against its schema, the run sheet against both.

JSON schema checks types and spelling; that ids exist and that no run starts from itself is checked here.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from headwork.errors import InputError
from headwork.options import spelling

SECTIONS = {"corpus": "corpora", "architecture": "architectures", "recipe": "recipes"}


def check(settings: dict[str, Any], schema: str | Path, name: str) -> None:
    """Raise `InputError` with place and remedy if `settings` (called `name`) do not fit the schema."""
    validator = Draft202012Validator(yaml.safe_load(Path(schema).read_text(encoding="utf-8")))
    error = best_match(validator.iter_errors(settings))
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


def _sentence(error: ValidationError) -> str:
    place = ".".join(str(step) for step in error.absolute_path)
    where = f"`{place}`: " if place else ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in known]
        return f"{where}unknown key '{unknown[0]}'; {spelling(str(unknown[0]), known)}"
    return f"{where}{error.message}"


def read_runs(path: str | Path, schema: str | Path) -> pd.DataFrame:
    """The run sheet, one row per trained model, indexed by run id; empty cells are None.

    Raises `InputError` for a missing file or column, a cell of the wrong type, or an id used twice.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError.at(path, "no such run sheet; `runs` in the config names it")
    table = pd.read_csv(path, sep="\t", dtype={"run": str, "init_run": str}, comment="#")
    table = table.astype(object).where(table.notna(), None)
    for line, row in enumerate(table.to_dict("records"), start=2):
        check(row, schema, f"{path}:{line}")
    twice = table["run"][table["run"].duplicated()]
    if len(twice):
        raise InputError.at(
            path, f"run '{twice.iloc[0]}' stands there twice; ids are unique", twice.index[0] + 2
        )
    return table.set_index("run", drop=False)


def check_runs(runs: pd.DataFrame, config: dict[str, Any], path: str | Path) -> None:
    """`InputError` if a run names a corpus, architecture, recipe or run that is not there, or a cycle."""
    for line, row in enumerate(runs.to_dict("records"), start=2):
        for column, section in (
            ("corpus", "corpora"),
            ("architecture", "architectures"),
            ("recipe", "recipes"),
        ):
            if row[column] not in config[section]:
                known = ", ".join(config[section])
                raise InputError.at(path, f"no {column} '{row[column]}' in the config; it has {known}", line)
        start = row["init_run"]
        if start is not None and start not in runs.index:
            raise InputError.at(path, f"run '{row['run']}' starts from '{start}', which is not a run", line)
        seen = [row["run"]]
        while start is not None:
            if start in seen:
                raise InputError.at(
                    path, f"runs start from each other in a circle: {' -> '.join([*seen, start])}", line
                )
            seen.append(start)
            start = runs.loc[start, "init_run"]


def check_papers(runs: pd.DataFrame, papers: dict[str, Any]) -> None:
    """Raise `InputError` if a study of the config names a run that the sheet does not have."""
    for study, entry in papers.items():
        for part in ("runs", "untrained"):
            for domain, pairs in entry.get(part, {}).items():
                for pair, run in pairs.items():
                    if run is not None and run not in runs.index:
                        place = f"papers.{study}.{part}.{domain}.{pair}"
                        raise InputError(f"config: `{place}`: no run '{run}' in the run sheet")
