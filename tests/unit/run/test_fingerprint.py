"""The fingerprint sees what code means: not its comments, not its layout, not modules it does not use."""

import ast
from pathlib import Path

import pytest

from headwork.run import fingerprint as module


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `headwork` with a chain script -> heads.labels -> heads.counts, and a bystander; another package beside
    it, and a study whose figure imports its own tables relatively."""
    root = tmp_path / "src/headwork"
    (root / "heads").mkdir(parents=True)
    (root / "heads/__init__.py").write_text('"""Heads."""\n')
    (root / "heads/labels.py").write_text(
        "from headwork.heads.counts import LIMIT\n\ndef label(x):\n    return x > LIMIT\n"
    )
    (root / "heads/counts.py").write_text("LIMIT = 1\n")
    (root / "bystander.py").write_text("OTHER = 1\n")
    (tmp_path / "script.py").write_text("from headwork.heads import labels\n\nlabels.label(2)\n")
    for file, text in {
        "src/world/grammar.py": "from .words import NOUNS\n",
        "src/world/words.py": "NOUNS = 1\n",
        "studies/one/figure.py": "import json\n\nfrom . import style\nfrom .tables import rows\n",
        "studies/one/tables.py": "from world import grammar\n\nrows = 1\n",
        "studies/one/style.py": "from ..shared import WIDTH\n",
        "studies/shared.py": "WIDTH = 1\n",
        "absolute.py": "import studies.one.figure\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.setattr(module, "PACKAGE", root)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_comments_docstrings_and_layout_do_not_count(package: Path) -> None:
    before = module.fingerprint(package / "script.py")
    edit(package / "src/headwork/heads/counts.py", "LIMIT = 1", "# how many\nLIMIT = (\n    1\n)")
    edit(package / "src/headwork/heads/labels.py", "    return", '    """Label x."""\n    return')
    edit(package / "src/headwork/heads/__init__.py", "Heads.", "All about heads.")
    assert module.fingerprint(package / "script.py") == before


def test_newer_versions_of_python_change_nothing(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.12 gives functions a list of type parameters, which is empty in our code."""
    before, parse = module.fingerprint(package / "script.py"), ast.parse

    def newer(text: str) -> ast.AST:
        tree = parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.type_params = []
        return tree

    with monkeypatch.context() as patched:
        patched.setattr(ast.FunctionDef, "_fields", (*ast.FunctionDef._fields, "type_params"))
        patched.setattr(ast, "parse", newer)
        module._meaning.cache_clear()
        assert "type_params=[]" in ast.dump(newer("def f(): ..."))
        assert module.fingerprint(package / "script.py") == before


def test_modules_that_are_not_imported_do_not_count(package: Path) -> None:
    before = module.fingerprint(package / "script.py")
    edit(package / "src/headwork/bystander.py", "OTHER = 1", "OTHER = 2")
    assert module.fingerprint(package / "script.py") == before
    names = {path.name for path in module.modules_of(package / "script.py")}
    assert names == {"script.py", "__init__.py", "labels.py", "counts.py"}


@pytest.mark.parametrize("start", ["studies/one/figure.py", "absolute.py"])
def test_relative_imports_studies_and_packages_beside_headwork_count(package: Path, start: str) -> None:
    followed = ["studies/one/tables.py", "studies/one/style.py", "studies/shared.py"]
    followed += ["src/world/grammar.py", "src/world/words.py"]
    assert module.modules_of(package / start) >= {package / file for file in followed}
    for file in followed:
        before = module.fingerprint(package / start)
        (package / file).write_text((package / file).read_text() + "MORE = 1\n")
        assert module.fingerprint(package / start) != before, file


def test_what_lies_beside_an_installed_headwork_is_not_ours(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "src").rename(package / "site-packages")
    monkeypatch.setattr(module, "PACKAGE", package / "site-packages/headwork")
    (package / "script.py").write_text("from headwork.heads import labels\nimport world.grammar\n")
    names = {path.name for path in module.modules_of(package / "script.py")}
    assert names == {"script.py", "__init__.py", "labels.py", "counts.py"}


def test_kept_fingerprints_are_those_of_the_code_as_it_is(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, file = package / "script.py", package / "kept/fingerprints.json"
    kept = module.Fingerprints(file)
    before = kept(script)
    assert before == module.fingerprint(script)
    kept.keep()
    monkeypatch.setattr(module, "fingerprint", lambda *sources: pytest.fail("computed again"))
    assert module.Fingerprints(file)(script) == before
    monkeypatch.undo()
    monkeypatch.setattr(module, "PACKAGE", package / "src/headwork")
    edit(package / "src/headwork/heads/counts.py", "LIMIT = 1", "LIMIT = 20")
    after = module.Fingerprints(file)
    assert after(script) == module.fingerprint(script) != before
    after.keep()
    edit(script, "label(2)", "label(30)")
    assert module.Fingerprints(file)(script) == module.fingerprint(script) != after.codes.popitem()[1]
    for new in ("src/headwork/new.py", "src/world/new.py", "studies/one/new.py"):
        after = module.Fingerprints(file)
        after(script)
        after.keep()
        (package / new).touch()
        assert module.Fingerprints(file).codes == {}, "a new module may be one that another imports"
    file.write_text("[1")
    assert module.Fingerprints(file)(script) == module.fingerprint(script)


def test_fingerprints_that_cannot_be_kept_are_computed(package: Path) -> None:
    kept = module.Fingerprints(package / "script.py/fingerprints.json")
    assert kept(package / "script.py") == module.fingerprint(package / "script.py")
    kept.keep()
    assert (package / "script.py").is_file()
