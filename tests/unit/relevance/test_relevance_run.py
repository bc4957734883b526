"""From a checkpoint and text to the table; the reference or the model's own words as prefix; what is refused."""

import pandas as pd
import pytest

from headwork.corpora.subwords import learning as subwords
from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import read_tokenizer, save
from headwork.relevance.jobs.relevance import relevance_run
from headwork.run.frame import Files
from headwork.settings.corpora import ParallelText
from headwork.settings.relevance import RelevanceSettings

SHAPE = {
    "family": "pegasus",
    "encoder_layers": 2,
    "decoder_layers": 1,
    "heads": 4,
    "width": 32,
    "feed_forward": 32,
    "max_positions": 12,
}
SOURCE = ["the old fox sees a dog", "a dog runs", "the fox follows the old dog", "the dog"]
TARGET = ["sees dog fox old", "runs dog", "follows dog old fox", "dog dog"]
# running text: Moses' rules cut off the full stop
HYPOTHESES = [
    "fox sees dog.",
    "",
    "dog follows old",
    "runs runs runs runs runs runs runs runs runs runs runs runs runs",
]
CORPUS = ParallelText(
    source="de", target="en", sources=({"type": "embedded", "domain": "news"},), tokenisation="moses"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    for name, lines in (("source", SOURCE), ("target", [*TARGET[:3], "dog ."]), ("hypotheses", HYPOTHESES)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    tokenizer = subwords.learn(
        [folder / "source.txt", folder / "target.txt"], subwords.Subwords(vocabulary=60)
    )
    subwords.save(tokenizer, folder / "tokenizer.json")
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    save(folder / "model", build(SHAPE, tokenizer, seed=1), tokenizer)
    return folder


def measured(folder, out, settings, **files):
    text = {name: folder / f"{name}.txt" for name in ("source", "target", "hypotheses")}
    output = Files(table=out / "relevance" / "run.parquet")
    chosen = RelevanceSettings.read({"split": "test", **settings}, "relevance")
    relevance_run(Files(model=folder / "model", **text | files), output, chosen, CORPUS)
    return pd.read_parquet(output.table)


def pieces(folder, lines):
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    return sum(len(tokenizer(line)["input_ids"]) for line in lines)


def test_batches_do_not_matter_and_the_same_again_is_the_same(folder, tmp_path):
    table = measured(folder, tmp_path, {"tokens": 400})
    small = measured(folder, tmp_path, {"tokens": 1})
    assert small["value"].to_numpy() == pytest.approx(table["value"].to_numpy(), abs=1e-6)
    assert measured(folder, tmp_path, {"tokens": 400}).equals(table)


def test_settings_reach_the_propagation(folder, tmp_path):
    settings = {"sentences": 2, "kinds": ["encoder"], "lrp": {"rule": "gradient", "attention": "constant"}}
    table = measured(folder, tmp_path, settings)
    assert set(table["kind"]) == {"encoder"}
    assert set(table["key"]) == {"gradient"}
    assert set(table["count"]) == {pieces(folder, TARGET[:2])}


def test_the_models_own_words_as_prefix(folder, tmp_path, caplog):
    with caplog.at_level("INFO"):
        table = measured(folder, tmp_path, {"prefix": "hypothesis"})
    # one translation is empty, and one longer than the model's positions
    assert "2 pairs left out" in caplog.text
    assert set(table["count"]) == {pieces(folder, ["fox sees dog .", "dog follows old"])}
    reference = measured(folder, tmp_path, {"prefix": "reference"})
    assert set(reference["count"]) != set(table["count"])


def test_unequal_line_counts(folder, tmp_path):
    (tmp_path / "short.txt").write_text("one\n")
    with pytest.raises(InputError, match=r"source.txt has 4 lines and .*short.txt has 1"):
        measured(folder, tmp_path, {}, target=tmp_path / "short.txt")
    assert not (tmp_path / "relevance").exists()


def test_nothing_that_fits(folder, tmp_path):
    (tmp_path / "long.txt").write_text(("dog " * 40).strip() + "\n")
    with pytest.raises(InputError, match=r"long.txt: no pair of sentences of at most 12 pieces"):
        measured(folder, tmp_path, {}, source=tmp_path / "long.txt", target=tmp_path / "long.txt")


def test_a_prefix_that_is_not_translated_is_refused():
    with pytest.raises(InputError, match="the prefix 'hypothesis' needs translations of 'dev', which are"):
        RelevanceSettings.read({"split": "dev", "prefix": "hypothesis"}, "relevance")
