"""Wheels made by tests, and a folder of them that is all that pip knows."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

DIST = "a_bert-0.1.0.dist-info"
RELEASE = "a-bert==0.1.0"
MODEL = f"package:{RELEASE}"


def write_wheel(folder: Path, files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> Path:
    """A wheel of version 0.1.0 of the package `a-bert`, with these files, and with `links` to other places."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "a_bert-0.1.0-py3-none-any.whl"
    own = {
        f"{DIST}/METADATA": b"Metadata-Version: 2.1\nName: a-bert\nVersion: 0.1.0\n",
        f"{DIST}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{DIST}/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, **own}.items():
            archive.writestr(name, content)
        for name, target in (links or {}).items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o120777 << 16
            archive.writestr(entry, target)
    return path


def only_index(folder: Path) -> dict[str, str]:
    """The variables by which pip finds wheels in that folder, and nowhere else."""
    folder.mkdir(parents=True, exist_ok=True)
    return {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
