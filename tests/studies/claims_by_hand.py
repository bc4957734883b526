"""Claims put to tables that are small enough to be counted by hand."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.settings.studies import Study
from headwork.studies.judging import judge
from headwork.studies.published import read_published
from headwork.studies.study import read_study

FOLDER = Path(__file__).resolve().parents[2] / "workflow/studies"


def study_of(key: str) -> Study:
    """A study of this repository."""
    return read_study(FOLDER / key / "study.yaml")


def published_of(key: str, file: str) -> pd.DataFrame:
    """Published numbers of a study."""
    return read_published(FOLDER / key / f"published/{file}.csv")


def judged(key: str, claims: Sequence[Mapping[str, Any]], tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The verdicts on claims by the study's own tests."""
    return judge(key, claims, tables, import_module(f"studies.{key}.claims"))


def claim(test: str, select: Mapping[str, Any] | None = None, /, **parameters: Any) -> dict[str, Any]:
    """A claim that names a test."""
    written = {"claim": "As it is said.", "published": 0.5, "source": "N", "test": test}
    return written | {"select": select or {}, "parameters": parameters}


def verdict(
    key: str,
    test: str,
    tables: Mapping[str, pd.DataFrame],
    select: Mapping[str, Any] | None = None,
    /,
    **parameters: Any,
) -> pd.Series:
    """The verdict on one claim."""
    return judged(key, [claim(test, select, **parameters)], tables).iloc[0]
