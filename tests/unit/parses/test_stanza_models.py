"""stanza's published models: when they cannot be fetched, one sentence and nothing half-written."""

import json
from pathlib import Path

import pytest
import stanza
from flaky_server import Server, serving

from headwork.errors import InputError
from headwork.parses.stanza.parsing import fetch_models, fetch_parser
from headwork.run.frame import Files
from headwork.settings.parses import PublishedParser


@pytest.fixture
def server():
    with serving(Server()) as server:
        yield server


def fetch(server, folder, language="en"):
    where = {"resources_url": server.url("resources"), "model_url": server.url("models/{filename}")}
    fetch_models(language, "default", folder / "stanza", folder / "work", **where)


def test_no_resources(server, tmp_path):
    with pytest.raises(
        InputError, match=r"stanza's models of 'en' \(default\) were not fetched .*; check the"
    ):
        fetch(server, tmp_path)
    assert not (tmp_path / "stanza").exists()


def test_no_such_language(server, tmp_path):
    listed = json.dumps({"en": {"lang_name": "English", "packages": {"default": {}}}}).encode()
    for version in (stanza.__version__, stanza.resources.common.DEFAULT_RESOURCES_VERSION):
        server.files[f"resources/resources_{version}.json"] = listed
    with pytest.raises(InputError, match="stanza's models of 'xx'"):
        fetch(server, tmp_path, "xx")
    assert not (tmp_path / "stanza").exists()


def test_what_was_fetched_lies_in_the_folder_of_the_parser(tmp_path, monkeypatch):
    def download(language, folder, package, processors, **_):
        (Path(folder) / language / package).mkdir(parents=True)
        (Path(folder) / "resources.json").write_text("{}")

    monkeypatch.setattr(stanza, "download", download)
    monkeypatch.chdir(tmp_path)
    output = Files(resources="parsers/stanza-de/resources.json")
    fetch_parser(Files(), output, PublishedParser(language="de", package="gsd"))
    found = sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "parsers").rglob("*"))
    folder = "parsers/stanza-de"
    assert found == [folder, f"{folder}/de", f"{folder}/de/gsd", f"{folder}/resources.json"]
    assert list((tmp_path / ".checkpoints/stanza").iterdir()) == []
