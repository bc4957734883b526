"""No secret comes into a log or into run.json."""

import json
import logging

import pytest

from headwork.run.frame import job
from headwork.run.outputs import write_json
from headwork.run.secrets import hidden, shown

SECRET = "hf_abcdefghijklmnop"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", f"{SECRET}/longer")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "sequential")
    monkeypatch.setenv("SSH_KEY", "yes")


def test_values_of_secret_variables():
    assert hidden(f"a {SECRET}, and {SECRET}/longer") == "a [HF_TOKEN], and [AWS_SECRET_ACCESS_KEY]"
    assert hidden("yes, sequential") == "yes, sequential"


def test_passwords_in_addresses():
    assert hidden("see https://me:word@host/a and s3://key@bucket") == "see https://host/a and s3://bucket"
    assert hidden("write to me@host.org") == "write to me@host.org"
    assert shown("https://me:word@host:8080/a/b.tgz?signature=x#y") == "https://host:8080/a/b.tgz"


def test_run_json(tmp_path):
    write_json(tmp_path / "run.json", {"settings": {"token": SECRET, "url": "http://a:b@host"}, "seed": 1})
    assert json.loads((tmp_path / "run.json").read_text()) == {
        "settings": {"token": "[HF_TOKEN]", "url": "http://host"},
        "seed": 1,
    }


@pytest.fixture
def root_logger():
    """Logging as it was, whatever a job makes of it."""
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    yield
    logger.handlers[:], logger.level = handlers, level
    logging.captureWarnings(False)


def test_logs_and_tracebacks(tmp_path, root_logger):
    def failing():
        logging.info("with %s", SECRET)
        raise RuntimeError(f"401 for {SECRET} at https://me:word@host/a")

    with pytest.raises(SystemExit), job(tmp_path / "a.log"):
        failing()
    text = (tmp_path / "a.log").read_text()
    assert "INFO with [HF_TOKEN]\n" in text
    assert "RuntimeError: 401 for [HF_TOKEN] at https://host/a" in text
    assert SECRET not in text
    assert "word" not in text
