"""Downloads that can be trusted: resumed where they broke off, checked by SHA-256, never half-written.

While a file comes it is called `<name>.part`; it gets its own name when its checksum is right. A killed or
broken download goes on where it stopped. Beside each file lies a note of where it is from and its licence.
"""

import fcntl
import logging
import os
import shutil
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import unquote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from headwork.corpora import hashes
from headwork.errors import InputError

CHUNK = 1 << 20
PATIENCE = (429, 500, 502, 503, 504)


def fetch(
    url: str,
    sha256: str | None,
    folder: Path,
    licence: str | None = None,
    attempts: int = 5,
    timeout: float = 60.0,
    pause: float = 2.0,
) -> Path:
    """The file behind `url`, in `folder`, downloaded unless it lies there with that checksum.

    `timeout` (seconds) is how long the server may be silent; after `attempts` tries in a row that brought
    nothing, with growing pauses (`pause`, twice that, ...), it is given up. Raises `InputError` for a wrong
    or missing checksum, an address that is not there, and a server that cannot be reached.
    """
    address = urlsplit(url)
    name = unquote(PurePosixPath(address.path).name)
    if address.scheme not in ("http", "https"):
        raise InputError(
            f"{url}: only http and https are downloaded; read a file on disk as a `local` source"
        )
    if not name:
        raise InputError(f"{url}: no file name at the end of the address; give the url of a file")
    folder.mkdir(parents=True, exist_ok=True)
    path, part = folder / name, folder / f"{name}.part"
    with _locked(path):
        if not (path.is_file() and (sha256 is None or hashes.sha256(path) == sha256)):
            _stream(url, part, attempts, timeout, pause)
            if sha256 is not None and (found := hashes.sha256(part)) != sha256:
                part.unlink()
                raise InputError(
                    f"{url}: the file that came has sha256 {found}, not {sha256}, and was removed; run again, and if "
                    "that does not help the file has changed: see its site, then mend `sha256` or `url`"
                )
            os.replace(part, path)
        if sha256 is None:
            raise InputError(
                f"{url}: the config gives no sha256; if you trust the file that came, add sha256: {hashes.sha256(path)}"
            )
        terms = licence or "not stated in the config; see the site"
        note = f"Downloaded from {url}\nsha256: {sha256}\nLicence: {terms}\n"
        path.with_name(f"{name}.licence.txt").write_text(note, encoding="utf-8")
    return path


def _stream(url: str, part: Path, attempts: int, timeout: float, pause: float) -> None:
    """Bring `part` to its full length, going on where it ends."""
    session = requests.Session()
    # only answers that ask for patience; broken connections are counted below, with those that break later
    retry = Retry(
        attempts, connect=0, read=0, backoff_factor=pause, status_forcelist=PATIENCE, raise_on_status=False
    )
    session.mount("http://", HTTPAdapter(max_retries=retry))
    session.mount("https://", HTTPAdapter(max_retries=retry))
    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        try:
            return _continue(session, url, part, before, timeout)
        except (requests.RequestException, HTTPError, OSError) as error:
            if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
                raise InputError.at(part, f"cannot be written ({error.strerror}); free some space") from error
            progress = part.exists() and part.stat().st_size > before
            failures = 1 if progress else failures + 1
            if failures >= attempts:
                raise InputError(
                    f"{url}: the download broke off ({type(error).__name__}) and {attempts} tries brought no more; "
                    "check the network and run again: it goes on where it stopped"
                ) from error
            logging.warning("%s broke off (%s); going on", url, error)
            time.sleep(pause * 2 ** (failures - 1))


def _continue(session: requests.Session, url: str, part: Path, have: int, timeout: float) -> None:
    # as it is: some servers call a .gz file's own compression an encoding, and it would be undone
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with session.get(url, headers=headers, stream=True, timeout=(timeout, timeout)) as response:
        if response.status_code == requests.codes.range_not_satisfiable and have:
            if response.headers.get("Content-Range", "").endswith(f"/{have}"):
                return  # all of it had come
            part.unlink()
            raise requests.ConnectionError("what had come is not a beginning of the file")
        if not response.ok:
            remedy = "try again later" if response.status_code in PATIENCE else "check the url"
            raise InputError(f"{url}: the server answers {response.status_code} {response.reason}; {remedy}")
        resumed = response.status_code == requests.codes.partial_content
        total = int(response.headers["Content-Length"]) if "Content-Length" in response.headers else None
        bar = tqdm(
            desc=part.stem, total=total and total + have * resumed, initial=have * resumed, unit="B", unit_scale=True,
            disable=None,
        )  # fmt: skip
        with open(part, "ab" if resumed else "wb") as file, bar:
            # what there is, at once: a chunk that never fills would be lost when the server falls silent
            while chunk := response.raw.read1(CHUNK, decode_content=False):
                file.write(chunk)
                bar.update(len(chunk))


def member(archive: Path, name: str) -> Path:
    """The file of that name out of a .zip or .tar(.gz|.bz2|.xz) archive, laid beside it.

    Its name there begins with the archive's checksum, so that another version's member is never taken for
    it. Raises `InputError`, with the likely name, if the archive is damaged or has no such member.
    """
    flat = name.replace("/", "__")
    path = archive.with_name(f"{hashes.sha256(archive)[:12]}.{flat}")
    part = path.with_name(f"{path.name}.part")
    with _locked(path):
        if not path.is_file():
            try:
                opened = _open_zip if zipfile.is_zipfile(archive) else _open_tar
                with opened(archive, name) as content, open(part, "wb") as file:
                    shutil.copyfileobj(content, file, CHUNK)
            except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
                part.unlink(missing_ok=True)
                raise InputError.at(
                    archive, f"not an archive, or a damaged one ({error}); remove it, run again"
                ) from error
            os.replace(part, path)
    return path


@contextmanager
def _open_zip(archive: Path, name: str) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(archive) as opened:
        if name not in opened.namelist():
            raise _no_member(archive, name, opened.namelist())
        with opened.open(name) as content:
            yield content


@contextmanager
def _open_tar(archive: Path, name: str) -> Iterator[IO[bytes]]:
    with tarfile.open(archive) as opened:
        # one walk from the front: looking a name up first would decompress a large archive twice
        names = []
        for entry in opened:
            names.append(entry.name)
            content = opened.extractfile(entry) if entry.name.removeprefix("./") == name else None
            if content is not None:
                yield content
                return
        raise _no_member(archive, name, names)


def _no_member(archive: Path, name: str, names: list[str]) -> InputError:
    near = get_close_matches(name, names, n=3, cutoff=0.3) or names[:3]
    return InputError.at(archive, f"no member '{name}'; it has {len(names)}, such as {', '.join(near)}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two jobs that need the same file do not write it at once."""
    with open(path.with_name(f".{path.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
