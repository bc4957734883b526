"""Downloads, resumed after interruptions and checked by size and SHA-256.

A file is downloaded to a work folder outside the results, and moved to its place when its checksum is right. An
interrupted download is resumed. A note beside each file has its origin and licence.
"""

import fcntl
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from headwork.corpora.sources import hashes
from headwork.corpora.sources.locations import file_name
from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.run.secrets import shown
from headwork.settings.corpora import Download

CHUNK = 1 << 20
WORK = Path(".checkpoints/downloads")
PATIENCE = (429, 500, 502, 503, 504)


def fetch_file(input: Files, output: Files, address: Download) -> None:
    """Fetch a file of `downloads.<id>` to `file`, in a folder of that id, and write its `licence` beside it."""
    fetch(address, output.file, WORK / output.file.parent.name)


def fetch(
    address: Download,
    path: Path,
    work: Path,
    attempts: int = 5,
    timeout: float = 60.0,
    pause: float = 2.0,
) -> None:
    """Bring the file to `path`, and a note of its origin and licence to `<path>.licence.txt`.

    `work` is the folder of partial files. `timeout` (seconds) limits the server's silence; the download fails after
    `attempts` consecutive tries without data, with growing pauses (`pause`, twice that, ...). Raises `InputError` for a
    wrong or missing checksum, another size, an address without a file, a server that cannot be
    reached, and a full disk; then nothing is at `path`, unless it was there before.
    """
    file_name(address.url)
    place = shown(address.url)
    work.mkdir(parents=True, exist_ok=True)
    part = work / f"{path.name}.part"
    with _locked(part):
        _stream(address, part, attempts, timeout, pause)
        found = hashes.sha256(part)
        if address.sha256 is None:
            raise InputError(
                f"{place}: the config gives no sha256; if you trust the file that came, add sha256: {found} "
                "and run again: it is not fetched a second time"
            )
        if found != address.sha256:
            part.unlink()
            raise InputError(
                f"{place}: the file that came has sha256 {found}, not {address.sha256}, and was removed; run again, "
                "and if that does not help the file has changed: see its site, then fix `sha256` or `url`"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(part, path)
    note = f"Downloaded from {place}\nsha256: {address.sha256}\nLicence: {address.licence}\n"
    path.with_name(f"{path.name}.licence.txt").write_text(note, encoding="utf-8")


def _stream(address: Download, part: Path, attempts: int, timeout: float, pause: float) -> None:
    """Download the rest of `part`."""
    place, session = shown(address.url), requests.Session()
    # retry only responses that ask for it; broken connections are counted below
    retry = Retry(
        attempts, connect=0, read=0, backoff_factor=pause, status_forcelist=PATIENCE, raise_on_status=False
    )
    session.mount("http://", HTTPAdapter(max_retries=retry))
    session.mount("https://", HTTPAdapter(max_retries=retry))
    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        if before == address.bytes:
            return
        try:
            return _continue(session, address, part, before, timeout)
        except (requests.RequestException, HTTPError, OSError) as error:
            if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
                raise InputError.at(part, f"cannot be written ({error.strerror}); free some space") from error
            progress = part.exists() and part.stat().st_size > before
            failures = 1 if progress else failures + 1
            if failures >= attempts:
                raise InputError(
                    f"{place}: the download broke off ({type(error).__name__}) and {attempts} tries brought no more; "
                    "check the network and run again: it goes on where it stopped"
                ) from error
            # not the error itself, which has the address with its query
            logging.warning("%s broke off (%s); going on", place, type(error).__name__)
            time.sleep(pause * 2 ** (failures - 1))


def _continue(session: requests.Session, address: Download, part: Path, have: int, timeout: float) -> None:
    # raw bytes: some servers declare a .gz file's own compression as encoding, which would be undone
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with session.get(address.url, headers=headers, stream=True, timeout=(timeout, timeout)) as response:
        if response.status_code == requests.codes.range_not_satisfiable and have:
            if response.headers.get("Content-Range", "").endswith(f"/{have}"):
                return  # all of it had come
            part.unlink()
            raise requests.ConnectionError("what had come is not a beginning of the file")
        if not response.ok:
            remedy = "try again later" if response.status_code in PATIENCE else "check the url"
            raise InputError(
                f"{shown(address.url)}: the server answers {response.status_code} {response.reason}; {remedy}"
            )
        resumed = response.status_code == requests.codes.partial_content
        start = have if resumed else 0
        comes = response.headers.get("Content-Length")
        total = None if comes is None else start + int(comes)
        _check_size(address, part, start, total)
        bar = tqdm(desc=part.stem, total=total, initial=start, unit="B", unit_scale=True, disable=None)
        with open(part, "ab" if resumed else "wb") as file, bar:
            # write data as it arrives: an incomplete chunk would be lost when the server stops
            while chunk := response.raw.read1(CHUNK, decode_content=False):
                start += len(chunk)
                if address.bytes is not None and start > address.bytes:
                    _check_size(address, part, start, start)
                file.write(chunk)
                bar.update(len(chunk))


def _check_size(address: Download, part: Path, have: int, total: int | None) -> None:
    """`InputError`, and nothing left of it, if the file is not as large as it should be, or than there is space."""
    if total is None:
        return
    place = shown(address.url)
    if address.bytes is not None and total != address.bytes:
        part.unlink(missing_ok=True)
        raise InputError(
            f"{place}: the server has {total} bytes, the config says {address.bytes}; the file has changed: see its "
            "site, then fix `bytes` and `sha256`, or `url`"
        )
    free = shutil.disk_usage(part.parent).free
    if total - have > free:
        raise InputError.at(
            part.parent,
            f"{total - have} bytes are to come from {place}, and {free} are free; free some space",
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock so that two processes do not write the same file at once."""
    with open(path.with_name(f".{path.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
