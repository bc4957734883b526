"""Downloads from a server of our own that breaks off, stalls, lies and refuses, as real ones do."""

import gzip
import hashlib
import logging
import shutil
import time
from collections import namedtuple

import pytest
from flaky_server import Server, serving

from headwork.corpora.sources.download import fetch
from headwork.errors import InputError
from headwork.settings.corpora import Download

CONTENT = bytes(range(256)) * 400
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server():
    with serving(Server()) as server:
        server.files["data.bin"] = CONTENT
        yield server


def get(server, folder, name="data.bin", sha256=SHA256, size=None, licence="CC BY 4.0", query="", **settings):
    """The file, fetched to `folder/out`; what has come so far lies in `folder/work`."""
    path = folder / "out" / name
    address = Download(url=server.url(name) + query, licence=licence, sha256=sha256, bytes=size)
    fetch(address, path, folder / "work", **{"attempts": 3, "timeout": 0.3, "pause": 0.01, **settings})
    return path


def visible(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return sorted(f"{path.parent.name}/{path.name}" for path in files)


def test_file_and_licence_note(server, tmp_path):
    path = get(server, tmp_path)
    assert path.read_bytes() == CONTENT
    assert visible(tmp_path) == ["out/data.bin", "out/data.bin.licence.txt"]
    note = (tmp_path / "out/data.bin.licence.txt").read_text()
    assert note == f"Downloaded from {server.url('data.bin')}\nsha256: {SHA256}\nLicence: CC BY 4.0\n"


def test_another_version_is_replaced(server, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/data.bin").write_bytes(b"last year's")
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_truncated_bodies_are_resumed(server, tmp_path):
    server.faults = [(30_000, False), (30_000, False), (30_000, False), (0, False)]
    assert get(server, tmp_path).read_bytes() == CONTENT
    again = [f"bytes={n}-" for n in (30000, 60000, 90000, 90000)]
    assert [wanted for _, wanted in server.requests] == [None, *again]


@pytest.mark.parametrize("stalls", [False, True])
def test_a_body_that_never_ends_is_given_up_and_the_part_stays(server, tmp_path, stalls):
    server.faults = [(500, stalls), *[(0, stalls)] * 9]
    began = time.monotonic()
    with pytest.raises(
        InputError, match=r"data\.bin: the download broke off .* 3 tries brought no more; check"
    ):
        get(server, tmp_path)
    assert time.monotonic() - began < 5
    assert visible(tmp_path) == ["work/data.bin.part"]
    assert (tmp_path / "work/data.bin.part").read_bytes() == CONTENT[:500]


@pytest.fixture
def begun(tmp_path):
    """The file that has come so far."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work/data.bin.part"


def test_a_later_run_goes_on_where_a_killed_one_stopped(server, tmp_path, begun):
    begun.write_bytes(CONTENT[:77])
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.requests == [("/data.bin", "bytes=77-")]


@pytest.mark.parametrize("size", [None, len(CONTENT)])
def test_killed_between_last_byte_and_check(server, tmp_path, begun, size):
    begun.write_bytes(CONTENT)
    assert get(server, tmp_path, size=size).read_bytes() == CONTENT
    assert len(server.requests) == (size is None)  # who knows the size need not ask


def test_part_longer_than_the_file_is_thrown_away(server, tmp_path, begun):
    begun.write_bytes(CONTENT + b"more")
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_server_without_ranges(server, tmp_path):
    server.ranges = False
    server.faults = [(30_000, False)]
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_stalled_server_is_left_and_asked_again(server, tmp_path, caplog):
    server.faults = [(30_000, True)]
    with caplog.at_level(logging.WARNING):
        assert get(server, tmp_path, query="?signature=secret").read_bytes() == CONTENT
    assert "broke off" in caplog.text
    assert "secret" not in caplog.text
    assert "secret" not in (tmp_path / "out/data.bin.licence.txt").read_text()


def test_busy_server_is_asked_again(server, tmp_path):
    server.faults = [503, 503]
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_busy_server_is_given_up(server, tmp_path):
    server.faults = [503] * 9
    with pytest.raises(InputError, match=r"the server answers 503 .*; try again later"):
        get(server, tmp_path)
    assert visible(tmp_path) == []


def test_wrong_checksum(server, tmp_path):
    with pytest.raises(InputError, match=f"has sha256 {SHA256}, not {'0' * 64}, and was removed; run again"):
        get(server, tmp_path, sha256="0" * 64)
    assert visible(tmp_path) == []


def test_wrong_size_is_refused_before_it_has_come(server, tmp_path):
    server.faults = [(0, True)]  # a body that never comes
    with pytest.raises(InputError, match=r"the server has 102400 bytes, the config says 7; .*fix `bytes`"):
        get(server, tmp_path, size=7)
    assert visible(tmp_path) == []


def test_no_space(server, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(9, 9, 1000))
    with pytest.raises(InputError, match=r"102400 bytes are to come from .*, and 1000 are free; free some"):
        get(server, tmp_path)


def test_missing_checksum_is_told_and_the_file_not_fetched_twice(server, tmp_path):
    with pytest.raises(InputError, match=f"add sha256: {SHA256} and run again"):
        get(server, tmp_path, sha256=None)
    assert visible(tmp_path) == ["work/data.bin.part"]
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.requests[1:] == [("/data.bin", f"bytes={len(CONTENT)}-")]


def test_not_found(server, tmp_path):
    with pytest.raises(InputError, match=r"none\.tgz: the server answers 404 Not Found; check the url"):
        get(server, tmp_path, name="none.tgz")
    assert visible(tmp_path) == []
    assert len(server.requests) == 1


def test_nobody_there(server, tmp_path):
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match=r"the download broke off .*check the network"):
        get(server, tmp_path, attempts=2)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://host/a.tgz", "only http and https"),
        ("https://host/", "without a file name"),
        ("https://me:word@host/a.tgz", r"^x: .* must not contain a user or a password; [^:@]*netrc$"),
    ],
)
def test_address_that_cannot_be_fetched(tmp_path, url, message):
    with pytest.raises(InputError, match=message):
        fetch(Download.read({"url": url, "licence": "none"}, "x"), tmp_path / "out", tmp_path / "work")
    assert list(tmp_path.iterdir()) == []


def test_gz_stays_compressed_whatever_the_server_calls_it(server, tmp_path):
    packed = gzip.compress(b"text\n")
    server.files["a.en.gz"] = packed
    path = get(server, tmp_path, name="a.en.gz", sha256=hashlib.sha256(packed).hexdigest())
    assert path.read_bytes() == packed
