"""Extraction of single files from untrusted archives.

Archives with names that lead out of a folder are rejected, as are members that are links or devices, and members with a
compression ratio far above that of text (a "zip bomb"). Partial output is removed.
"""

import io
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from headwork.corpora.sources.locations import inside
from headwork.errors import InputError
from headwork.run.frame import Files

CHUNK = 1 << 20
# Text compresses to between a third and a tenth; a ratio of a thousand is not text.
LARGEST_RATIO = 100
ALWAYS_FINE = 1 << 24  # bytes: smaller members are unpacked at any ratio


def unpack_member(input: Files, output: Files, member: str) -> None:
    """Write the file `member` of the `archive` to `path`, as `unpack`."""
    unpack(input.archive, member, output.path)


def unpack(archive: Path, member: str, path: Path) -> None:
    """Write the file `member` of a .zip or .tar(.gz|.bz2|.xz) archive to `path`.

    Raises `InputError` if the archive is damaged, encrypted or hostile (see above), has no such member (the message
    has likely names), or needs more space than there is.
    """
    inside(member)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        opened = _open_zip if zipfile.is_zipfile(archive) else _open_tar
        with opened(archive, member) as (content, size), open(part, "wb") as file:
            _copy(content, file, archive, member, size)
        part.replace(path)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(archive, error) from error
    finally:
        part.unlink(missing_ok=True)


def members(archive: Path) -> list[str]:
    """The names of all members of a .zip archive. Raises `InputError` if it is damaged, or a name leads out of it."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
    except zipfile.BadZipFile as error:
        raise _damaged(archive, error) from error
    for name in names:
        _check_name(archive, name)
    return names


def _copy(content: io.BufferedIOBase, file: io.BufferedWriter, archive: Path, member: str, size: int) -> None:
    """Copy a member whose declared size, which is not trusted, is `size` bytes."""
    largest = max(ALWAYS_FINE, LARGEST_RATIO * archive.stat().st_size)
    free = shutil.disk_usage(Path(file.name).parent).free
    if size > free:
        raise InputError.at(archive, f"'{member}' needs {size} bytes and {free} are free; free some space")
    written = 0
    while chunk := content.read(CHUNK):
        written += len(chunk)
        if max(size, written) > largest:
            raise InputError.at(
                archive,
                f"'{member}' unpacks to more than {LARGEST_RATIO} times the archive, more than text does; "
                "check the origin of the archive",
            )
        file.write(chunk)


@contextmanager
def _open_zip(archive: Path, member: str) -> Iterator[tuple[io.BufferedIOBase, int]]:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        for name in names:
            _check_name(archive, name)
        if member not in names:
            raise _no_member(archive, member, names)
        info = opened.getinfo(member)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind not in (0, stat.S_IFREG):
            raise _no_file(archive, member)
        if info.flag_bits & 1:
            raise InputError.at(
                archive, f"'{member}' is encrypted; unpack it by hand, and read it as `local`"
            )
        with opened.open(info) as content:
            yield content, info.file_size


@contextmanager
def _open_tar(archive: Path, member: str) -> Iterator[tuple[io.BufferedIOBase, int]]:
    with tarfile.open(archive) as opened:
        # a single pass: looking up a name first would decompress a large archive twice
        names = []
        for entry in opened:
            _check_name(archive, entry.name)
            names.append(entry.name)
            if entry.name.removeprefix("./") == member:
                try:
                    tarfile.data_filter(entry, str(archive.parent))
                except tarfile.FilterError as error:
                    raise InputError.at(
                        archive, f"the archive is rejected: {error}; check its origin"
                    ) from error
                content = opened.extractfile(entry) if entry.isreg() else None
                if content is None:
                    raise _no_file(archive, member)
                yield content, entry.size
                return
        raise _no_member(archive, member, names)


def _damaged(archive: Path, error: Exception) -> InputError:
    return InputError.at(archive, f"not an archive, or a damaged one ({error}); remove it, run again")


def _check_name(archive: Path, name: str) -> None:
    if name.rstrip("/") in ("", "."):
        return
    try:
        inside(name)
    except InputError as error:
        raise InputError.at(archive, f"the archive is rejected: {error}") from error


def _no_file(archive: Path, member: str) -> InputError:
    return InputError.at(
        archive, f"'{member}' is no file there, but a folder, a link or a device; name a file"
    )


def _no_member(archive: Path, member: str, names: list[str]) -> InputError:
    near = get_close_matches(member, names, n=3, cutoff=0.3) or names[:3]
    return InputError.at(archive, f"no member '{member}'; it has {len(names)}, such as {', '.join(near)}")
