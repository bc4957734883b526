"""The rule of the head atlas: from a model and a text named on the command line to a page, and no file is changed."""

import pytest
from tiny_bert import tiny_bert, word_tokenizer

from headwork.models.loading.checkpoints import save

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

LINES = ["the dog sees a cat .", "a cat sees the dog .", "the dog sleeps ."]


@pytest.fixture
def asked(clone):
    """The options of the command, for a tiny model and a text in the clone."""
    words = word_tokenizer(sorted({word for line in LINES for word in line.split()}))
    save(clone / "tiny", tiny_bert(words), words)
    (clone / "my.txt").write_text("\n".join(LINES) + "\n")
    return ["--config", "model=tiny", "text=my.txt", "--"]


def refused(clone, *config):
    """What is said of these, after making sure that nothing was written."""
    done = clone.snakemake("--config", *config, "--", "atlas", check=False)
    assert done.returncode != 0
    assert not (clone / "results/atlas").exists() or not list((clone / "results/atlas").rglob("*.*"))
    return done.stdout + done.stderr


def test_one_command_makes_the_page_and_only_what_changed_makes_it_anew(clone, asked):
    clone.snakemake(*asked, "atlas")
    page = clone / "results/atlas/tiny/atlas.html"
    assert "Head atlas: tiny" in page.read_text()
    options = asked[:-1]
    assert clone.planned("atlas", options=options) == {}
    (clone / "my.txt").write_text("\n".join(LINES[:2]) + "\n")
    assert clone.planned("atlas", options=options) == {"atlas": 1}


def test_what_is_wrong_is_said_in_a_sentence_and_nothing_is_written(clone, asked):
    assert "an atlas is of a model: snakemake atlas --config model=" in refused(clone, "scale=miniature")
    assert "no.txt: there is no such file" in refused(clone, "model=tiny", "text=no.txt")
    (clone / "tiny/tokenizer.json").unlink()
    (clone / "tiny/tokenizer_config.json").unlink()
    assert "the folder has no tokenizer" in refused(clone, "model=tiny", "text=my.txt")
    (clone / "tiny/model.safetensors").rename(clone / "tiny/pytorch_model.bin")
    assert "is not a model that can be loaded" in refused(clone, "model=tiny", "text=my.txt")
