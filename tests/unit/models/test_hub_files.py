"""Models of the hub, fetched from a server on this machine that answers as the hub does."""

import hashlib
import json

import huggingface_hub.constants as constants
import pytest
from flaky_server import serving
from hub_server import COMMIT, NAME, Hub
from toy_text import ARCHITECTURE, tokenizer_of, write_paragraphs
from transformers import BertForMaskedLM

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.models.loading.fetching import FILES, fetch_model
from headwork.settings.models import NamedModel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    tokenizer = tokenizer_of(write_paragraphs(folder / "text", {}))
    save(folder, build(ARCHITECTURE, tokenizer, 1), tokenizer)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def server(files, monkeypatch):
    """The stand-in of the hub, with pickled weights and code beside the safetensors; it is not forbidden here."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    others = {"pytorch_model.bin": b"pickled", "modeling_evil.py": b"raise SystemExit"}
    with serving(Hub(dict(files) | others)) as server:
        yield server


def fetch(server, folder, cache="cache", **settings):
    named = NamedModel(**({"model": NAME} | settings))
    fetch_model(named, folder / "out", folder / cache, server.address)


def refused(server, folder, message, **settings):
    with pytest.raises(InputError, match=message):
        fetch(server, folder, **settings)
    assert not (folder / "out").exists()


def test_the_four_files_and_where_they_are_from(server, files, tmp_path):
    sha256 = hashlib.sha256(files["model.safetensors"]).hexdigest()
    fetch(server, tmp_path, revision=COMMIT, sha256=sha256)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in FILES} == {
        name: files[name] for name in FILES
    }
    note = json.loads((tmp_path / "out/hub.json").read_text())
    assert note == {"model": NAME, "revision": COMMIT, "model.safetensors": {"sha256": sha256}}
    assert isinstance(hub.load(tmp_path / "out")[0], BertForMaskedLM)
    asked = " ".join(path for _, path, _ in server.requests)
    assert not [name for name in ("pytorch_model.bin", "modeling_evil.py") if name in asked]


@pytest.mark.parametrize("asked", [{"revision": COMMIT}, {"sha256": "0" * 64}])
def test_a_folder_has_no_revision_and_no_checksum(tmp_path, asked):
    assert NamedModel(model=str(tmp_path)).revision is None
    with pytest.raises(
        InputError, match=r"is a folder, and `revision`, `sha256` and `fallback` are of models"
    ):
        NamedModel.read({"model": str(tmp_path), **asked}, "architecture")


def test_offline_takes_what_was_fetched_before_and_asks_nobody(server, tmp_path):
    refused(server, tmp_path, "is not in the cache of models, .*; fetch it once without", offline=True)
    fetch(server, tmp_path)
    del server.requests[:]
    (tmp_path / "out/config.json").unlink()
    fetch(server, tmp_path, offline=True)
    assert (tmp_path / "out/config.json").is_file()
    assert server.requests == []


def test_a_broken_download_goes_on(server, files, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 500)
    server.faults = [1000]
    fetch(server, tmp_path)
    assert (tmp_path / "out/model.safetensors").read_bytes() == files["model.safetensors"]
    assert ("GET", f"/{NAME}/resolve/{COMMIT}/model.safetensors", "bytes=1000-") in server.requests


def test_wrong_checksum(server, tmp_path):
    message = r"model\.safetensors has sha256 \w{64}, not 0{64}, and was removed; run again, .* fix `sha256`"
    refused(server, tmp_path, message, sha256="0" * 64)
    fetch(server, tmp_path)  # and it is not taken from the cache


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"model": "somebody/no-bert"},
            "no such folder, and the hub has no such model at revision main; check",
        ),
        ({"revision": "nowhere"}, "the hub has no such model at revision nowhere; check"),
        ({"model": "some//bert"}, "the hub has no such model"),
    ],
)
def test_no_such_model(server, tmp_path, settings, message):
    refused(server, tmp_path, message, **settings)


def test_nobody_there(server, tmp_path):
    server.shutdown()
    server.server_close()
    refused(server, tmp_path, "was not fetched; check the network and run again: it goes on")


def test_pickled_weights_alone(server, tmp_path):
    del server.files["model.safetensors"]
    refused(
        server, tmp_path, r"has no model\.safetensors; only safetensors .* are loaded: save it in this form"
    )


def test_a_model_with_code_of_its_own(server, tmp_path):
    config = json.loads(server.files["config.json"])
    config["auto_map"] = {"AutoModel": "modeling_evil.EvilModel"}
    server.files["config.json"] = json.dumps(config).encode()
    refused(server, tmp_path, "needs code of its own, and a model's own code is not run; choose a model of")
