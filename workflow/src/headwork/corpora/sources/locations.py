"""Locations of files: data folder, miniature world, tasks, distilled text and downloads.

Nothing is fetched here. A job of its own fetches each file that the config's `downloads` name, another unpacks each
member of an archive; corpora, texts and tasks then find them by these two rules of naming.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from headwork.errors import InputError
from headwork.run.secrets import shown
from headwork.settings.sentences import spelling


def file_name(url: str) -> str:
    """The name of the file behind an address, without its query; `InputError` if the address has none."""
    name = PurePosixPath(unquote(urlsplit(url).path)).name
    if not name or name == "..":
        raise InputError(f"{shown(url)}: the address ends without a file name; give the url of a file")
    return name


@dataclass(frozen=True)
class Fetched:
    """The files of `downloads` (`urls`: id -> address) below a folder, and the members of those that are archives."""

    urls: Mapping[str, str]
    folder: Path

    def file(self, download: str, member: str | None = None) -> Path:
        """Where the download of that id lies, or that member of it. Raises `InputError` for an unknown id."""
        if download not in self.urls:
            known = spelling(download, list(self.urls)) if self.urls else "the config has none"
            raise InputError(f"no download '{download}'; {known}")
        if member is None:
            return self.folder / "downloads" / download / file_name(self.urls[download])
        return self.folder / "unpacked" / download / inside(member)


def inside(member: str) -> PurePosixPath:
    """The path of a member of an archive; `InputError` if it leads out of the folder it is unpacked into."""
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or "\\" in member or "\0" in member or not path.parts:
        raise InputError(f"the member '{member}' leads out of its archive; check the origin of the archive")
    return path


@dataclass(frozen=True)
class Places:
    """Folders: `data` for local sources, the miniature `world`, its `tasks`, `distilled` text; what was `fetched`."""

    data: Path | None = None
    world: Path | None = None
    tasks: Path | None = None
    fetched: Fetched = Fetched({}, Path("."))
    distilled: Path | None = None

    def folder(self, name: str, source: str) -> Path:
        """The folder of that name; `InputError` if it was not given or is not there."""
        folder = getattr(self, name)
        if folder is None:
            raise InputError(
                f"{source}: the {name} folder is not given; name it in the config or on the command line"
            )
        if not folder.is_dir():
            raise InputError.at(folder, f"the {name} folder does not exist; {source} needs it")
        return folder
