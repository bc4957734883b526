"""Files are compared value by value, to the last digit, without what differs from run to run."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from headwork.run.compare import difference, not_compared


def of(tmp_path: Path, name: str, old, new, write, ignored=()) -> str | None:
    paths = [tmp_path / f"{side}-{name}" for side in ("old", "new")]
    for path, content in zip(paths, (old, new), strict=True):
        write(path, content)
    found = difference(*paths, ignored)
    return None if found is None else str(found)


def text(path: Path, content: str) -> None:
    path.write_text(content)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("a,b\n1,2\n", "a,b\n1,2\n", None),
        ("a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4.0\n", "row 2, b: 4 -> 4.0"),
        ("a,b\n1,2\n", "a,b\n1,2\n3,4\n", "what stands there: the end -> row 2, a"),
        ("a,b\n1,2\n", "b,a\n2,1\n", "columns: ['a', 'b'] -> ['b', 'a']"),
        ("a,seconds\n1,2\n", "a,seconds\n1,3\n", None),
        ("a,seconds\n1,2\n", "a\n1\n", None),
        ("a,seconds\n1,2\n", "a,seconds\n2,2\n", "row 1, a: 1 -> 2"),
        ("", "a\n", "columns: [] -> ['a']"),
    ],
)
def test_tables_in_text(tmp_path: Path, old: str, new: str, found: str | None) -> None:
    assert of(tmp_path, "a.csv", old, new, text, ["seconds"]) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"x": [0.1, float("nan")]}, {"x": [0.1, float("nan")]}, None),
        ({"x": [0.1, 0.2]}, {"x": [0.1, np.nextafter(0.2, 1)]}, "row 2, x: 0.2 -> 0.20000000000000004"),
        ({"x": [1, 2]}, {"x": [1.0, 2.0]}, "columns: [('x', 'int64')] -> [('x', 'double')]"),
        ({"x": [[1.0, 2.0]]}, {"x": [[1.0, 3.0]]}, "row 1, x: [1.0, 2.0] -> [1.0, 3.0]"),
        ({"x": [1], "seconds": [1]}, {"x": [1], "seconds": [2]}, None),
        ({"x": [0.0]}, {"x": [-0.0]}, "row 1, x: 0.0 -> -0.0"),
    ],
)
def test_tables_in_parquet(tmp_path: Path, old: dict, new: dict, found: str | None) -> None:
    def write(path: Path, content: dict) -> None:
        pd.DataFrame(content).to_parquet(path, index=False)

    assert of(tmp_path, "a.parquet", old, new, write, ["seconds"]) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1]: 2 -> 3"),
        ({"a": 1}, {"a": True}, "a: 1 -> True"),
        ({"a": {"seconds": 1, "b": 1}}, {"a": {"seconds": 2, "b": 1}}, None),
        ({"a": {"seconds": 1}, "seconds": 1}, {"a": {"seconds": 1}, "seconds": 2}, "seconds: 1 -> 2"),
        ({"a": [1]}, {"a": [1, 2]}, "a: length: 1 -> 2"),
        ({"a": 1}, {"a": 1, "c": 2}, ": keys: ['a'] -> ['a', 'c']"),
    ],
)
def test_json(tmp_path: Path, old: dict, new: dict, found: str | None) -> None:
    def write(path: Path, content: dict) -> None:
        path.write_text(json.dumps(content))

    assert of(tmp_path, "a.json", old, new, write, ["a.seconds"]) == found


def test_models(tmp_path: Path) -> None:
    weights = {"a": np.zeros(3, np.float32), "b": np.arange(4, dtype=np.float32)}
    other = weights | {"b": np.array([0, 1, 2.5, 3], np.float32)}
    half = weights | {"b": weights["b"].astype(np.float16)}

    def with_note(path: Path, content: dict) -> None:
        save_file(content, path, {"made": path.name})

    assert of(tmp_path, "a.safetensors", weights, weights, with_note) is None
    assert of(tmp_path, "b.safetensors", weights, other, with_note) == "b, value 2: 2.0 -> 2.5"
    found = of(tmp_path, "c.safetensors", weights, half, with_note)
    assert found == "b: type and shape: ('F32', [4]) -> ('F16', [4])"
    assert "a" in of(tmp_path, "d.safetensors", weights, {"b": weights["b"]}, with_note)


def test_other_files_line_by_line(tmp_path: Path) -> None:
    assert of(tmp_path, "a.svg", "<a>\n<b>\n", "<a>\n<c>\n", text) == "line 2: <b> -> <c>"
    assert of(tmp_path, "a.svg", "<a>\n", "<b>\n", text, [""]) is None


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (there := tmp_path / "a").touch()
    assert str(difference(there, tmp_path / "b")) == "the file: there -> nothing"
    assert str(difference(tmp_path / "b", there)) == "the file: nothing -> there"
    assert difference(tmp_path / "b", tmp_path / "c") is None


def test_what_differs_from_run_to_run() -> None:
    assert {"commit", "training.seconds"} < set(not_compared("models/a/run.json"))
    assert "sentences_per_second" in not_compared("pruning/voita2019.runs.csv")
    assert not not_compared("models/a/scores.json")
    assert not not_compared("papers/voita2019/figure1.svg")
