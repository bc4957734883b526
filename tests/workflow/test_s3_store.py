"""Parses and models go to the store of the user's own, here S3: pushed, pulled by another clone, and no secret told."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from secrets import token_hex

import pytest
import yaml

pytestmark = [pytest.mark.workflow, pytest.mark.long]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple]:
    """The address of a stand-in for S3 on this machine with an empty bucket, and a client of it."""
    import boto3
    import requests
    from moto.server import ThreadedMotoServer

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDOFTHETEST0000000")
    # drawn anew: this file is in the clones too
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", token_hex(20))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    address = f"http://127.0.0.1:{port}"
    # what an earlier test of this process left
    requests.post(f"{address}/moto-api/reset", timeout=10).raise_for_status()
    client = boto3.client("s3", endpoint_url=address)
    client.create_bucket(Bucket="heads")
    yield address, client
    server.stop()


def pointed(clone, address: str) -> None:
    """Name the store as docs and .dvc/config tell the user to: in .dvc/config.local, which git does not track."""
    clone.run("dvc", "remote", "modify", "--local", "store", "url", "s3://heads/headwork")
    clone.run("dvc", "remote", "modify", "--local", "store", "endpointurl", address)
    # without it DVC takes what comes from S3 for what was asked for
    clone.run("dvc", "remote", "modify", "--local", "store", "verify", "true")


def test_push_and_pull(clone, bucket, tmp_path_factory) -> None:
    address, client = bucket
    shutil.rmtree(clone / ".dvc/published", ignore_errors=True)
    (clone / "dvc.lock").unlink(missing_ok=True)
    # outputs as in dvc.yaml: models to the store, corpora nowhere, figures to the remote inside the repository
    make = "mkdir -p {0} && cd {0} && echo {0} > a && head -c 3000000 /dev/zero > model.safetensors"
    outs = {"models": {"remote": "store"}, "corpora": {"push": False}, "studies": {}}
    shipped = yaml.safe_load((clone / "dvc.yaml").read_text())["stages"]
    for name, options in outs.items():
        given = shipped[name]["do"]["outs"][0][f"results/${{key}}/{name}"]
        assert {key: value for key, value in given.items() if key != "persist"} == options
    stages = {
        name: {
            "cmd": make.format(f"results/miniature/{name}"),
            "outs": [{f"results/miniature/{name}": options}],
        }
        for name, options in outs.items()
    }
    (clone / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    pointed(clone, address)
    clone.run("dvc", "repro", "--quiet")
    clone.run("dvc", "push", "--quiet", "--remote", "store", "models")
    stored = [entry["Key"] for entry in client.list_objects_v2(Bucket="heads")["Contents"]]
    assert len(stored) == 3, "the folder, and its two files"
    assert all(key.startswith("headwork/files/md5/") for key in stored)
    clone.commit("made")

    folder = tmp_path_factory.mktemp("other") / "clone"
    subprocess.run(["git", "clone", "--quiet", clone.folder, folder], check=True, env=clone.environment)
    other = type(clone)(folder)
    assert not (other / "results/miniature/models").exists()
    without = other.run("dvc", "pull", "--remote", "store", "models", check=False)
    assert without.returncode != 0, "a clone knows nothing of the store until it is told"
    pointed(other, address)
    other.run("dvc", "pull", "--quiet", "--remote", "store", "models")
    for name in ("a", "model.safetensors"):
        assert (other / "results/miniature/models" / name).read_bytes() == (
            clone / "results/miniature/models" / name
        ).read_bytes()
    assert not (other / "results/miniature/corpora").exists()

    # a damaged object of the store is not taken for the file
    broken = next(
        key for key in stored if client.head_object(Bucket="heads", Key=key)["ContentLength"] == 3_000_000
    )
    client.put_object(Bucket="heads", Key=broken, Body=b"other")
    shutil.rmtree(other / ".dvc/cache")
    shutil.rmtree(other / "results/miniature/models")
    other.run("dvc", "pull", "--quiet", "--remote", "store", "models", check=False)
    left = other / "results/miniature/models/model.safetensors"
    assert not left.exists() or left.read_bytes() != b"other"

    tracked = other.run("git", "ls-files", "-z").stdout.split("\0")
    for repository in (clone, other):
        told = b"".join(
            path.read_bytes()
            for path in [
                *(repository / ".dvc").glob("config*"),
                *(repository / name for name in tracked if name and (repository / name).is_file()),
            ]
        )
        assert os.environ["AWS_SECRET_ACCESS_KEY"].encode() not in told
