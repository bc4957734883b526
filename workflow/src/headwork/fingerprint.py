"""A fingerprint of what code means, for Snakemake's `params`: comments, docstrings and layout left out.

Snakemake does not see the library a script imports, and judges the script itself by the clock. A rule
therefore carries `code=fingerprint(script)`: a hash of the syntax trees of the script and of every
headwork module it imports, directly or not. A changed constant reruns the rules that use it; a comment
or an unrelated module reruns nothing.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def fingerprint(script: str | Path) -> str:
    """16 hexadecimal digits that change when the script, or a headwork module it imports, changes meaning."""
    digest = hashlib.sha256()
    for path in sorted(modules_of(Path(script).resolve()), key=lambda path: path.as_posix()):
        digest.update(_meaning(path, path.stat().st_mtime_ns)[0].encode())
    return digest.hexdigest()[:16]


def modules_of(script: Path) -> set[Path]:
    """The script and the headwork modules it imports, transitively."""
    found: set[Path] = set()
    waiting = [script]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(_meaning(path, path.stat().st_mtime_ns)[1])
    return found


@cache
def _meaning(path: Path, changed: int) -> tuple[str, list[Path]]:
    """The module's syntax tree without docstrings, as text, and the headwork files it imports.

    `changed` only keeps the cache honest when a file is edited while the process lives.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [file for node in ast.walk(tree) for name in _imported(node) for file in _files(name)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            _drop_docstring(node)
    return ast.dump(tree), imports


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        # `from headwork.models import train` may name a module or something inside one
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _files(module: str) -> list[Path]:
    first, *rest = module.split(".")
    if first != PACKAGE.name:
        return []
    place = PACKAGE.joinpath(*rest)
    return [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]


def _drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
