"""The wheel with its core dependencies alone makes an atlas, outside the clone; what needs an extra says which."""

import os
import re
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tiny_bert import tiny_bert, word_tokenizer

from headwork.head_atlas import texts
from headwork.models.loading.checkpoints import save

pytestmark = [pytest.mark.long, pytest.mark.workflow]

LINES = ["the dog sees a cat .", "a cat sees the dog .", "the dog sleeps ."]


def closure(requirements: list[str]) -> dict[str, Distribution]:
    """The installed distributions that the requirements stand for, with all that these require, without extras."""
    found: dict[str, Distribution] = {}
    left = [Requirement(line) for line in requirements]
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # such as libraries of CUDA, where torch is a build for the CPU
            continue
        left += [Requirement(line) for line in found[name].requires or []]
    return found


def owners() -> dict[str, set[str]]:
    """Folder or file of site-packages -> the distributions that have files in it."""
    found: dict[str, set[str]] = {}
    for each in distributions():
        for file in each.files or []:
            found.setdefault(file.parts[0], set()).add(canonicalize_name(each.metadata["Name"]))
    return found


def link(chosen: dict[str, Distribution], folder: Path) -> None:
    """Symbolic links to the files of the distributions; of a folder that others share, to each of their own."""
    shared = {place for place, names in owners().items() if names - chosen.keys()}
    for each in chosen.values():
        for file in each.files or []:
            place = file if file.parts[0] in shared else Path(file.parts[0])
            if ".." in file.parts or (folder / place).is_symlink():
                continue
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).symlink_to(each.locate_file(place))


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """A fresh environment with the wheel and the closure of its core dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("light")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]

    def run(*command):
        subprocess.run(command, cwd=folder, check=True, env=os.environ | {"PIP_NO_INDEX": "1"})

    copy = folder / "source"
    for name in ["pyproject.toml", "README.md", "LICENSE", *tracked(root, "workflow/src")]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((root / name).read_bytes())
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(copy))
    (wheel,) = folder.glob("headwork-*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv/bin/python"
    run(*pip, "--python", str(python), "install", "--no-deps", str(wheel))
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (own,) = distributions(path=[str(site)])
    link(closure(own.requires), site)
    return folder


def tracked(root: Path, folder: str) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if (root / name).is_file()]


@pytest.fixture
def headwork(installed, tmp_path):
    """Run the installed command, or another of that environment, in an empty folder with a model and a text."""
    lines = (*LINES, *texts.world(500, seed=0).lines)
    words = word_tokenizer(sorted({word for line in lines for word in line.split()}))
    save(tmp_path / "tiny", tiny_bert(words, max_position_embeddings=64), words)
    (tmp_path / "my.txt").write_text("\n".join(LINES) + "\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments, command="headwork"):
        program = [str(installed / "venv/bin" / command), *arguments]
        return subprocess.run(program, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_an_atlas_of_a_text_and_one_of_the_generated_english(headwork, tmp_path):
    done = headwork("atlas", "tiny", "my.txt")
    assert (done.returncode, done.stdout) == (0, "results/atlas/tiny/atlas.html\n"), done.stderr
    assert "Head atlas: tiny" in (tmp_path / "results/atlas/tiny/atlas.html").read_text()
    asked = "import headwork; print(headwork.atlas('tiny').title, headwork.__file__)"
    done = headwork("-c", asked, command="python")
    assert re.match(r"synthetic English .*gold trees \S+/venv/lib/", done.stdout), done.stderr


def test_what_needs_an_extra_says_so_in_a_sentence(headwork, tmp_path):
    extras = (
        "from importlib.util import find_spec; print(*map(find_spec, ('stanza', 'snakemake', 'matplotlib')))"
    )
    assert headwork("-c", extras, command="python").stdout == "None None None\n"
    done = headwork("atlas", "tiny", "my.txt", "--parser", "stanza:models")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(
        "stanza is not installed; in a clone of headwork, run pip install '.[parse]'\n"
    )
    assert not (tmp_path / "results").exists()
