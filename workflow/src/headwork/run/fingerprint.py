"""Hashes of code, which ignore comments, docstrings and layout.

Snakemake does not track the modules that a script imports, and compares the script itself by modification time. The
hash of a job is therefore one of the syntax trees of its script, of the module of the function that it calls if it
names one, and of all modules of this repository that these import, directly or indirectly, absolutely or relatively:
headwork, the packages beside it, and the folders of studies. Changing a constant changes the hashes of the jobs that
use it; changing a comment or an unrelated module changes none, nor does changing what jobs say (`SAYING`).
`headwork.run.versions` says what follows.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# Modules that decide what a job says and when it stops, but no result.
SAYING = {PACKAGE / name for name in ("errors.py", "run/frame.py", "run/secrets.py", "settings/sentences.py")}
STUDIES = "studies"  # the package of studies, beside workflow/src


def fingerprint(*sources: str | Path) -> str:
    """16 hexadecimal digits that change with the code of a source or of a module of ours it imports."""
    digest = hashlib.sha256()
    found = modules_of(*(Path(source).resolve() for source in sources))
    for path in sorted(found, key=lambda path: path.as_posix()):
        digest.update(_meaning(path, path.stat().st_mtime_ns)[0].encode())
    return digest.hexdigest()[:16]


class Fingerprints:
    """Fingerprints, kept in a file until any module of ours changes.

    Parsing all modules takes seconds, and Snakemake reads the rules in every job again. Call it as `fingerprint`.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.changed = file, False
        self.state = hashlib.sha256(_states(_modules()).encode()).hexdigest()
        try:
            state, codes = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            state, codes = None, {}
        self.codes: dict[str, str] = codes if state == self.state else {}

    def __call__(self, *sources: Path) -> str:
        """`fingerprint` of the sources."""
        key = _states(sources)
        if key not in self.codes:
            self.codes[key], self.changed = fingerprint(*sources), True
        return self.codes[key]

    def keep(self) -> None:
        """Write the file, if there is anything new; a folder that cannot be written to is no error."""
        if self.changed:
            own = self.file.with_suffix(f".{os.getpid()}")  # other processes may write too
            with suppress(OSError):
                self.file.parent.mkdir(parents=True, exist_ok=True)
                own.write_text(json.dumps([self.state, self.codes]), encoding="utf-8")
                own.replace(self.file)


def _states(paths: Iterable[Path]) -> str:
    """Path, modification time and size of files, in the order of their paths."""
    states = ((str(path), path.stat()) for path in sorted(paths))
    return " ".join(f"{path} {state.st_mtime_ns} {state.st_size}" for path, state in states)


def modules_of(*sources: Path) -> set[Path]:
    """The sources and the modules of ours they import, transitively."""
    found: set[Path] = set()
    waiting = [*sources]
    while waiting:
        path = waiting.pop()
        if path not in found and path not in SAYING:
            found.add(path)
            waiting.extend(_meaning(path, path.stat().st_mtime_ns)[1])
    return found


@cache
def _meaning(path: Path, changed: int) -> tuple[str, list[Path]]:
    """The module's syntax tree without docstrings, as text, and the files of ours it imports.

    `changed` is the modification time: it invalidates the cache when a file is edited while the process runs.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [file for node in ast.walk(tree) for place in _imported(node, path) for file in _files(place)]
    return _text(_WithoutTexts().visit(tree)), imports


class _WithoutTexts(ast.NodeTransformer):
    """Drops strings that are statements: docstrings, and the meanings of settings below their fields."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


def _text(tree: ast.AST) -> str:
    """The tree as Python 3.11 writes it: 3.12 added a field, 3.13 leaves empty ones out."""
    empty = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    return ast.dump(tree, **empty).replace(", type_params=[]", "")


def _imported(node: ast.AST, path: Path) -> list[Path]:
    """The places, without suffix, of what a statement of the module at `path` imports and may be ours."""
    if isinstance(node, ast.Import):
        return [place for alias in node.names if (place := _place(alias.name))]
    if not isinstance(node, ast.ImportFrom):
        return []
    # `from .tables import curve` starts at the module's own folder, and each further dot at the one above
    above = path.parents[node.level - 1] if node.level else None
    inside = above.joinpath(*(node.module or "").split(".")) if above else _place(node.module or "")
    # `from headwork.models import train` may name a module or something inside one
    return [inside, *(inside / alias.name for alias in node.names)] if inside else []


def _place(module: str) -> Path | None:
    """Where the code of an absolutely imported module lies, if it may be ours."""
    first, *rest = module.split(".")
    if first != PACKAGE.name and not _in_repository():
        return None
    beside = PACKAGE.parents[1] if first == STUDIES else PACKAGE.parent
    return beside.joinpath(first, *rest)


def _in_repository() -> bool:
    """Whether headwork lies in its repository, where packages beside it are ours too, or is installed."""
    return PACKAGE.parent.name == "src"


def _modules() -> Iterable[Path]:
    """All modules that hashes may depend on, but the scripts."""
    folders = [PACKAGE.parent, PACKAGE.parents[1] / STUDIES] if _in_repository() else [PACKAGE]
    return (path for folder in folders for path in folder.rglob("*.py"))


def _files(place: Path) -> list[Path]:
    """The module or package at a place, if there is one."""
    return [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
