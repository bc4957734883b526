"""The command `headwork`, as a process: what it says, its exit code, and what it writes."""

import subprocess
import sys
import time

import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.models.loading.checkpoints import save

LINES = ["the dog sees a cat .", "a cat sees the dog .", "the dog sleeps ."]


@pytest.fixture
def headwork(root, tmp_path, monkeypatch):
    """Run the command in an empty folder, or in another."""
    monkeypatch.setenv("PYTHONPATH", str(root / "workflow/src"))
    monkeypatch.delenv("HEADWORK_DATA", raising=False)

    def run(*arguments, folder=tmp_path):
        command = [sys.executable, "-m", "headwork", *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    return run


def test_help_imports_neither_torch_nor_pandas(root, headwork):
    heavy = "{'torch', 'transformers', 'pandas', 'numpy'}"
    asked = f"import sys, headwork.cli; print(*{heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "\n"
    begun = time.monotonic()
    said = headwork("atlas", "--help").stdout
    assert time.monotonic() - begun < 3, "a tenth of this where nothing else runs"
    assert "--sentences INTEGER  Largest number of sentences measured" in said


def test_an_atlas(headwork, tmp_path):
    words = word_tokenizer(sorted({word for line in LINES for word in line.split()}))
    save(tmp_path / "tiny", tiny_bert(words), words)
    (tmp_path / "my.txt").write_text("\n".join(LINES) + "\n")
    done = headwork("atlas", "tiny", "my.txt", "--name", "mine", "--shortest", "2", "--shown", "1")
    assert (done.returncode, done.stdout) == (0, "results/atlas/mine/atlas.html\n"), done.stderr
    assert "Head atlas: mine" in (tmp_path / "results/atlas/mine/atlas.html").read_text()
    headwork("atlas", "tiny", "my.txt", "--output", "there")
    assert "Head atlas: tiny" in (tmp_path / "there/atlas.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["atlas", "bert", "no.txt"], "no.txt: there is no such file; check the path"),
        (["atlas", "bert", "--shown", "0"], "headwork atlas: `shown`: it is 0, but must be greater than or"),
        (["atlas", "bert", "--output", "file/here"], "{folder}/file: this is a file; name a folder"),
        (["atlas", "nowhere/bert"], "nowhere/bert: "),
        (["records", "keep"], "config/config.yaml: there is no such file; run this command in a clone"),
    ],
)
def test_an_error_is_one_sentence_and_nothing_is_written(headwork, tmp_path, arguments, sentence):
    (tmp_path / "file").touch()
    done = headwork(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(sentence.format(folder=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_progress(headwork, root):
    done = headwork("progress", folder=root)
    assert "news-karvan-s1" in done.stdout
    assert " done, " in done.stdout.splitlines()[-1]
    wrong = headwork("progress", "config/workstatoin.yaml", folder=root)
    assert wrong.stderr == "config/workstatoin.yaml: no such config file; did you mean 'workstation.yaml'?\n"
    assert wrong.returncode == 1


def test_data(headwork, root, tmp_path):
    done = headwork("data", folder=root)
    assert done.returncode == 0
    assert done.stdout.endswith("items can be made: all of this scale\n")
    lacking = headwork("data", "config/workstation.yaml", "--data", str(tmp_path), folder=root)
    assert lacking.returncode == 1
    assert lacking.stdout.splitlines()[-1].startswith("1 of ")
    assert lacking.stdout.endswith("items can be made: voita2019_figure6\n")
