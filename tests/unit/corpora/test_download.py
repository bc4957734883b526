"""Downloads from a server of our own that breaks off, stalls, lies and refuses, as real ones do."""

import gzip
import hashlib
import io
import logging
import tarfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from headwork.corpora.download import fetch, member
from headwork.errors import InputError

CONTENT = bytes(range(256)) * 400
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves `files`; `faults` are functions(handler, rest of the body) -> None, one used up by each request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.faults, self.requests, self.ranges = {}, [], [], True
        self.release = threading.Event()

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.server.requests.append((self.path, wanted))
        body = self.server.files.get(self.path.lstrip("/"))
        if body is None:
            return self.send_error(404)
        if self.server.faults and self.server.faults[0] == 503:
            self.server.faults.pop(0)
            return self.send_error(503)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.ranges else 0
        if start >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        rest = body[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        if self.path.endswith(".gz"):
            self.send_header("Content-Encoding", "x-gzip")  # as some servers say of every .gz file
        self.end_headers()
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault is None:
            return self.wfile.write(rest)
        sent, stall = fault
        self.wfile.write(rest[:sent])
        self.wfile.flush()
        if stall:
            self.server.release.wait(10)
        self.close_connection = True


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    server.files["data.bin"] = CONTENT
    yield server
    server.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def get(server, folder, name="data.bin", sha256=SHA256, **settings):
    return fetch(
        server.url(name), sha256, folder, **{"attempts": 3, "timeout": 0.3, "pause": 0.01, **settings}
    )


def visible(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_file_and_licence_note(server, tmp_path):
    path = get(server, tmp_path / "new", licence="CC BY 4.0")
    assert path.read_bytes() == CONTENT
    assert visible(tmp_path / "new") == ["data.bin", "data.bin.licence.txt"]
    note = (tmp_path / "new" / "data.bin.licence.txt").read_text()
    assert note == f"Downloaded from {server.url('data.bin')}\nsha256: {SHA256}\nLicence: CC BY 4.0\n"


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    get(server, tmp_path)
    get(server, tmp_path)
    assert len(server.requests) == 1


def test_another_version_is_replaced(server, tmp_path):
    (tmp_path / "data.bin").write_bytes(b"last year's")
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_truncated_bodies_are_resumed(server, tmp_path):
    server.faults = [(30_000, False), (30_000, False), (30_000, False), (0, False)]
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert [wanted for _, wanted in server.requests] == [
        None,
        *[f"bytes={n}-" for n in (30000, 60000, 90000, 90000)],
    ]


def test_a_later_run_goes_on_where_a_killed_one_stopped(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:77])
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.requests == [("/data.bin", "bytes=77-")]


def test_killed_between_last_byte_and_check(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT)
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_part_longer_than_the_file_is_thrown_away(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT + b"more")
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_server_without_ranges(server, tmp_path):
    server.ranges = False
    server.faults = [(30_000, False)]
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_stalled_server_is_left_and_asked_again(server, tmp_path, caplog):
    server.faults = [(30_000, True)]
    with caplog.at_level(logging.WARNING):
        assert get(server, tmp_path).read_bytes() == CONTENT
    assert "broke off" in caplog.text


def test_server_that_only_stalls_is_given_up_and_the_part_stays(server, tmp_path):
    server.faults = [(500, True), *[(0, True)] * 9]
    began = time.monotonic()
    with pytest.raises(
        InputError, match=r"data\.bin: the download broke off .* 3 tries brought no more; check"
    ):
        get(server, tmp_path)
    assert time.monotonic() - began < 5
    assert visible(tmp_path) == ["data.bin.part"]
    assert (tmp_path / "data.bin.part").read_bytes() == CONTENT[:500]


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


def test_missing_checksum_is_told(server, tmp_path):
    with pytest.raises(InputError, match=f"add sha256: {SHA256}"):
        get(server, tmp_path, sha256=None)


def test_not_found(server, tmp_path):
    with pytest.raises(InputError, match=r"none\.tgz: the server answers 404 Not Found; check the url"):
        get(server, tmp_path, name="none.tgz")
    assert visible(tmp_path) == []
    assert len(server.requests) == 1


def test_nobody_there(server, tmp_path):
    url = server.url("data.bin")
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match=r"the download broke off .*check the network"):
        fetch(url, SHA256, tmp_path, attempts=2, timeout=0.3, pause=0.01)


@pytest.mark.parametrize(
    ("url", "message"), [("ftp://host/a.tgz", "only http and https"), ("https://host/", "no file name")]
)
def test_address_that_cannot_be_fetched(tmp_path, url, message):
    with pytest.raises(InputError, match=message):
        fetch(url, SHA256, tmp_path)


def test_gz_stays_compressed_whatever_the_server_calls_it(server, tmp_path):
    packed = gzip.compress(b"text\n")
    server.files["a.en.gz"] = packed
    path = get(server, tmp_path, name="a.en.gz", sha256=hashlib.sha256(packed).hexdigest())
    assert path.read_bytes() == packed


def tgz(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


FILES = {"dev/a-src.en.sgm": b"<srcset>", "dev/a-ref.ru.sgm": b"<refset>" * 9000}


@pytest.mark.parametrize(("name", "pack"), [("dev.tgz", tgz), ("en-ru.txt.zip", zipped)])
def test_member(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(FILES))
    path = member(tmp_path / name, "dev/a-ref.ru.sgm")
    assert path.read_bytes() == FILES["dev/a-ref.ru.sgm"]
    assert path.suffix == ".sgm"
    assert member(tmp_path / name, "dev/a-ref.ru.sgm") == path
    with pytest.raises(InputError, match=r"no member 'dev/a-src\.ru\.sgm'; it has 2, such as dev/a-"):
        member(tmp_path / name, "dev/a-src.ru.sgm")
    assert len(visible(tmp_path)) == 2


def test_member_of_another_version_is_another_file(tmp_path):
    archive = tmp_path / "dev.tgz"
    archive.write_bytes(tgz({"a.en": b"old"}))
    old = member(archive, "a.en")
    archive.write_bytes(tgz({"a.en": b"new"}))
    assert (member(archive, "a.en").read_bytes(), old.read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize(("name", "pack"), [("dev.tgz", tgz), ("en-ru.txt.zip", zipped)])
def test_damaged_archive(tmp_path, name, pack):
    whole = pack(
        {"a.en": bytes(hashlib.sha256(bytes([n % 251, n // 251])).digest()[0] for n in range(50_000))}
    )
    (tmp_path / name).write_bytes(whole[:9000])
    with pytest.raises(InputError, match="not an archive, or a damaged one"):
        member(tmp_path / name, "a.en")
    assert visible(tmp_path) == [name]


def test_member_names_cannot_leave_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "dev.tgz").write_bytes(tgz({"../evil.en": b"x"}))
    assert member(inside / "dev.tgz", "../evil.en").parent == inside
    assert visible(tmp_path) == ["inside"]
