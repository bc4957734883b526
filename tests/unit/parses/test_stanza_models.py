"""stanza's published models: when they cannot be fetched, one sentence and nothing half-written."""

import json

import pytest
from flaky_server import Server, serving

from headwork.errors import InputError
from headwork.parses.stanza.published_models import fetch_models


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
    import stanza

    listed = json.dumps({"en": {"lang_name": "English", "packages": {"default": {}}}}).encode()
    for version in (stanza.__version__, stanza.resources.common.DEFAULT_RESOURCES_VERSION):
        server.files[f"resources/resources_{version}.json"] = listed
    with pytest.raises(InputError, match="stanza's models of 'xx'"):
        fetch(server, tmp_path, "xx")
    assert not (tmp_path / "stanza").exists()
