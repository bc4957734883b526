"""A stand-in for the Hugging Face hub, on this machine: one model, and answers as the hub gives them."""

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WEIGHTS = "model.safetensors"
NAME, COMMIT = "somebody/little-bert", "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """One model: its `files`; `faults` are used up, one by each body: how many bytes of it are sent."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.faults, self.requests = files, [], []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers what huggingface_hub asks: the model, its files, each file's ETag, and bodies with ranges."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", sent=None, **headers):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[:sent])
            self.close_connection = sent is not None

    def do_GET(self):
        path = self.path.partition("?")[0]
        wanted = self.headers.get("Range")
        self.server.requests.append((self.command, path, wanted))
        if NAME not in path or "/revision/nowhere" in path:
            code = "RevisionNotFound" if NAME in path else "RepoNotFound"
            return self.answer(404, X_Error_Code=code, X_Error_Message="not there")
        if "/api/models/" in path:
            siblings = [{"rfilename": name} for name in self.server.files]
            listed = {"id": NAME, "sha": COMMIT, "siblings": siblings, "private": False}
            tree = [
                {"type": "file", "path": name, "size": len(body), "oid": hashlib.sha1(body).hexdigest()}
                for name, body in self.server.files.items()
            ]
            content = tree if "/tree/" in path else listed
            return self.answer(200, json.dumps(content).encode(), Content_Type="application/json")
        name = path.rpartition(f"/resolve/{COMMIT}/")[2]
        if name not in self.server.files:
            return self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        body = self.server.files[name]
        about = {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X_Repo_Commit": COMMIT}
        if self.command == "HEAD":
            return self.answer(200, body, **about)
        sent = self.server.faults.pop(0) if self.server.faults and name == WEIGHTS else None
        if wanted:
            start = int(wanted.removeprefix("bytes=").split("-")[0])
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            return self.answer(206, body[start:], sent, Content_Range=span, **about)
        self.answer(200, body, sent, **about)

    do_HEAD = do_GET
