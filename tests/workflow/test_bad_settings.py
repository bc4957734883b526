"""Invalid settings are answered before any job, with file, line, key and the likely spelling: bad_settings.yaml."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from headwork.errors import InputError
from headwork.models.loading.wheels import FILES
from headwork.plan import checks
from headwork.settings.config import read_config

CASES = yaml.safe_load(Path(__file__).with_name("bad_settings.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of config/, and the studies, as the working directory."""
    for part in ("config", "workflow/studies"):
        shutil.copytree(root / part, tmp_path / part)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_settings_that_are_refused(folder: Path, case: dict) -> None:
    paths = ["config/config.yaml"]
    if "model" in case:
        Path("config/lm").mkdir()
        for name in FILES:
            (Path("config/lm") / name).write_text(json.dumps({"architectures": [case["model"]]}))
    if "sheet" in case:
        text = case["sheet"]
        Path("my.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
        case = case | {"overlay": "runs: {mine: my.tsv}"}
    if "overlay" in case:
        text = case["overlay"]
        Path("overlay.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append("overlay.yaml")
    if "change" in case:
        name, old, new = case["change"]
        text = Path(name).read_text(encoding="utf-8")
        assert old in text
        Path(name).write_text(text.replace(old, new, 1), encoding="utf-8")
    before = files_in(folder)
    with pytest.raises(InputError) as refused:
        checks.checked(read_config(*paths), Path("."), paths)
    said = str(refused.value)
    assert re.search(case["says"], said), said
    assert "\n" not in said
    assert files_in(folder) == before


def test_the_same_settings_without_a_fault(folder: Path) -> None:
    runs, studies = checks.checked(read_config("config/config.yaml"), folder, ["config/config.yaml"])
    assert "news-karvan-s1" in runs.index
    assert "voita2019" in studies


def test_a_value_of_the_command_line(folder: Path) -> None:
    config = read_config("config/config.yaml")
    config["recipes"]["new"] = given = {"steps": -1}
    with pytest.raises(
        InputError, match=r"^command line: `recipes.new.steps`: it is -1, but must be greater"
    ):
        checks.checked(config, folder, ["config/config.yaml"], {"recipes": {"new": given}})
