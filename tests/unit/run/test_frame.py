"""What is logged when a job fails: one sentence where somebody can do something, else a traceback."""

import errno
import os
from pathlib import Path

import pandas as pd
import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from headwork.corpora.sources.readers import lines
from headwork.errors import DamagedFile, InputError, SettingError
from headwork.models.loading.checkpoints import start_from
from headwork.run.frame import Files, call, folder_of, job
from headwork.run.outputs import check_writable, read_parquet, write_table
from headwork.settings.base import Settings


def log_of(folder, error):
    """The log of a job that ends by this error."""
    with pytest.raises(SystemExit) as ended, job(folder / "log"):
        raise error
    assert ended.value.code == 1
    return (folder / "log").read_text().split(" ERROR ", 1)[1]


def test_what_a_user_can_mend_is_one_sentence(tmp_path):
    assert log_of(tmp_path, InputError.at("a.txt", "is empty", 3)) == "a.txt:3: is empty\n"


def test_a_bug_has_its_traceback(tmp_path):
    assert "Traceback" in log_of(tmp_path, KeyError("x"))


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "results/x.csv"),
        SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk_is_no_bug(tmp_path, error):
    said = log_of(tmp_path, error)
    assert "No space left on device" in said
    assert said.endswith("fix the cause, and run the same command again\n")
    assert "Traceback" not in said


def test_a_damaged_result_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table("results/heads/a.parquet", pd.DataFrame({"head": range(1000)}))
    whole = (tmp_path / "results/heads/a.parquet").read_bytes()
    (tmp_path / "results/heads/a.parquet").write_bytes(whole[:100])
    with pytest.raises(SystemExit), job("log"):
        read_parquet("results/heads/a.parquet")
    said = (tmp_path / "log").read_text()
    assert "a.parquet: the file is not a parquet table" in said
    assert "it was renamed to results/heads/a.parquet.damaged: run the same command again" in said
    assert not (tmp_path / "results/heads/a.parquet").exists()
    assert (tmp_path / "results/heads/a.parquet.damaged").read_bytes() == whole[:100]


def test_a_users_file_stays_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_bytes(b"fine\n\xff\xfe\n")
    with pytest.raises(SystemExit), job("log"):
        list(lines(Path("mine.txt")))
    said = (tmp_path / "log").read_text()
    assert said.endswith("mine.txt:2: byte 1 of the line is not UTF-8; convert the file with iconv\n")
    assert (tmp_path / "mine.txt").exists()


def test_weights_broken_off(tmp_path):
    model = torch.nn.Linear(50, 50)
    save_file(dict(model.state_dict()), tmp_path / "model.safetensors")
    start_from(model, tmp_path)
    (tmp_path / "model.safetensors").write_bytes((tmp_path / "model.safetensors").read_bytes()[:5000])
    with pytest.raises(DamagedFile, match=r"model\.safetensors: these are no whole weights"):
        start_from(model, tmp_path)


def test_a_table_that_is_not_there_is_not_damaged(tmp_path):
    with pytest.raises(InputError, match="the table does not exist") as raised:
        read_parquet(tmp_path / "a.parquet")
    assert not isinstance(raised.value, DamagedFile)


def test_a_table_that_the_system_does_not_give_is_not_damaged(tmp_path, monkeypatch):
    write_table(tmp_path / "a.parquet", pd.DataFrame({"head": [1]}))

    def denied(_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(pd, "read_parquet", denied)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)") as raised:
        read_parquet(tmp_path / "a.parquet")
    assert not isinstance(raised.value, DamagedFile)


def test_a_folder_that_may_only_be_read(tmp_path, monkeypatch):
    check_writable(tmp_path)
    check_writable(tmp_path / "new")
    monkeypatch.setattr(os, "access", lambda path, mode: not (path == tmp_path and mode & os.W_OK))
    for folder in tmp_path, tmp_path / "new":
        with pytest.raises(InputError, match="cannot be written to"):
            check_writable(folder)


class Sample(Settings):
    sentences: int = 10


def measure(input, output, settings: Sample, device="cpu"):
    """A job; it writes what it was given."""
    given = [folder_of(input.model), input.words, "held_out" in input, settings.sentences, device]
    output.table.write_text(" ".join(map(str, given)))


def test_a_job_gets_the_rule_s_files_by_its_names_and_settings_as_models(tmp_path):
    given = Files(model=["a/model.safetensors", "a/config.json"], words="b/words.parquet", held_out=[])
    made = Files(table=tmp_path / "table.txt")
    call(measure, given, made, {"settings": {"sentences": 3}, "device": "meta"})
    assert made.table.read_text() == "a b/words.parquet False 3 meta"
    call(measure, given, made, {"settings": Sample()})
    assert made.table.read_text() == "a b/words.parquet False 10 cpu"
    assert folder_of(tmp_path) == tmp_path
    with pytest.raises(SettingError, match="settings: unknown key 'sentence'; did you mean 'sentences'"):
        call(measure, given, made, {"settings": {"sentence": 3}})
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        call(measure, given, made, {"settings": {}, "seed": 3})
    with pytest.raises(AttributeError, match="trees"):
        _ = given.trees
