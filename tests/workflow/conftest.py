"""What the tests of the workflow share: clones of the checkout, and a stand-in for S3."""

from collections.abc import Iterator
from secrets import token_hex

import pytest
from clones import clone, smoke_clone

__all__ = ["bucket", "clone", "smoke_clone"]


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
