"""A web server on this machine that breaks off, stalls, lies and refuses, as real ones do."""

import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Serves `files`; `faults` are used up, one by each request with a body.

    A fault is 503, or (how many bytes are sent, whether the connection then hangs instead of ending).
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.faults, self.requests, self.ranges = {}, [], [], True
        self.release = threading.Event()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(BaseHTTPRequestHandler):
    """Answers GET, with ranges if the server has them."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments) -> None:
        """Nothing: the test's output is its own."""

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.requests.append((self.path, wanted))
        body = self.server.files.get(self.path.lstrip("/").partition("?")[0])
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


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    """The server, running in a thread until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        getattr(server, "release", threading.Event()).set()
        server.shutdown()
        thread.join()
        server.server_close()


def tgz(files: Mapping[str, bytes], *entries: tarfile.TarInfo) -> bytes:
    """A .tgz of these files, after `entries` that have no content."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for entry in entries:
            archive.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A .zip of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
