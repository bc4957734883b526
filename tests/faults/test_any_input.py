"""Whatever is in a config, a sheet, a name or a text: it is accepted, or refused in one sentence.

Hypothesis makes the inputs: random ones, and the project's own with something changed at a random place.
"""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from headwork.corpora.running_text.paragraphs import paragraphs
from headwork.errors import InputError
from headwork.head_atlas.texts import of_pair, of_text
from headwork.parses.conllu import read_conllu
from headwork.plan import checks
from headwork.plan.asked import asked_files, atlas_name
from headwork.settings.atlas import AtlasRequest, AtlasSettings
from headwork.settings.config import read_config, read_yaml
from headwork.settings.run_sheets import read_runs

ROOT = Path(__file__).parents[2]
CONFIG = read_config(ROOT / "config/config.yaml")
OFTEN = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=list(HealthCheck))
SELDOM = settings(OFTEN, max_examples=60)

SCALARS = (
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats()
    | some.text(max_size=8)
    | some.sampled_from(["1e-3", "en", "../x", "a b", "{run}", "", ".", "ß", "\x00", "news", "miniature"])
)
VALUES = some.recursive(
    SCALARS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
# what a text may hold: words of CoNLL-U and of tables, and anything else
PARTS = some.sampled_from(
    ["\t", "\n", "\n\n", "# text = a", "1", "2-3", "_", "NOUN", "root", "a", "-", '"', "\x00"]
)
TEXTS = some.lists(PARTS | some.text(max_size=4), max_size=40).map("".join)
BYTES = TEXTS.map(str.encode) | some.binary(max_size=60)


def allowed(attempt: Callable[[], Any]) -> Any:
    """What comes of it; or None where it is refused, in one sentence of a bounded length."""
    try:
        return attempt()
    except InputError as error:
        said = str(error)
        assert said
        assert "\n" not in said.strip(), said
        assert len(said) < 2000
        assert not re.search(r"Traceback|object at 0x|pydantic", said), said
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


def changed(config: dict[str, Any], data: some.DataObject) -> None:
    """Change, add or remove something at a random place, in place."""
    place: Any = config
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(some.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(some.integers(0, 3)) == 0:
            break
        place = inner
    how = data.draw(some.sampled_from(["change", "remove", "add"]))
    if how == "remove":
        del place[key]
    elif how == "add" and isinstance(place, dict):
        place[data.draw(some.text(max_size=8))] = data.draw(VALUES)
    else:
        place[key] = data.draw(VALUES)


@SELDOM
@given(data=some.data())
def test_a_config_with_something_changed(data) -> None:
    mine = copy.deepcopy(CONFIG)
    changed(mine, data)
    allowed(lambda: checks.checked(mine, ROOT, [ROOT / "config/config.yaml"]))


@OFTEN
@given(text=TEXTS | VALUES.map(yaml.safe_dump))
def test_an_overlay(folder, text) -> None:
    (folder / "overlay.yaml").write_text(text, encoding="utf-8", errors="surrogatepass")
    found = allowed(lambda: read_yaml(folder / "overlay.yaml"))
    assert found is None or isinstance(found, dict)


@OFTEN
@given(data=some.data())
def test_a_run_sheet(folder, data) -> None:
    lines = (ROOT / "tests/config/runs-smoke.tsv").read_text().splitlines()[:8]
    for _ in range(data.draw(some.integers(1, 3))):
        number = data.draw(some.integers(0, len(lines) - 1))
        cells = lines[number].split("\t")
        place = data.draw(some.integers(0, len(cells) - 1))
        cells[place] = data.draw(TEXTS | some.sampled_from(["", "null", "NaN", "1e9", "-1", "\t", "#", '"']))
        lines[number] = data.draw(some.sampled_from(["\t", ",", " "])).join(cells)
    (folder / "runs.tsv").write_text("\n".join(lines), encoding="utf-8")
    found = allowed(lambda: read_runs(folder / "runs.tsv"))
    assert found is None or len(found) == len(found.attrs["lines"]) > 0 or not any(lines[1:])


@OFTEN
@given(content=BYTES)
def test_a_run_sheet_of_anything(folder, content) -> None:
    (folder / "any.tsv").write_bytes(content)
    allowed(lambda: read_runs(folder / "any.tsv"))


@OFTEN
@given(keys=some.dictionaries(some.sampled_from([*AtlasRequest.model_fields, "modle"]), SCALARS, max_size=4))
def test_what_is_asked_of_an_atlas(keys) -> None:
    asked = allowed(lambda: AtlasRequest.read(keys, "command line"))
    if asked is not None:
        name = atlas_name(asked)
        assert name not in ("", ".", "..")
        assert re.fullmatch(r"\w[\w.-]*", name)
        allowed(lambda: asked_files(asked))
    allowed(lambda: AtlasSettings.read(keys, "atlas"))


@OFTEN
@given(content=BYTES, other=BYTES, name=some.sampled_from(["a.txt", "a.conllu", "a.txt.gz", "a.tsv"]))
def test_a_text_of_an_atlas(folder, content, other, name) -> None:
    (folder / name).write_bytes(content)
    (folder / "b.txt").write_bytes(other)
    found = allowed(lambda: of_text(folder / name, None, 10, 0))
    assert found is None or 0 < len(found.lines) <= 10
    allowed(lambda: of_pair(folder / name, folder / "b.txt", None, 10, 0))
    allowed(lambda: of_text(folder / "b.txt", str(folder / name), 10, 0))


@OFTEN
@given(content=BYTES, one_a_line=some.booleans())
def test_a_text_in_paragraphs_and_trees(folder, content, one_a_line) -> None:
    for name in ("c.txt", "c.conllu"):
        (folder / name).write_bytes(content)
        allowed(lambda: list(paragraphs(folder / name, one_a_line)))  # noqa: B023
    allowed(lambda: list(read_conllu(folder / "c.conllu")))
