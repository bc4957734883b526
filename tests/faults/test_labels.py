"""Gold labels meet a model's classes by name: how a model numbers them changes no number."""

import copy

import numpy as np
import pandas as pd
import pytest
import torch
from small_tokenizers import TEXT, wordpiece
from transformers import BertConfig, BertForSequenceClassification

from headwork import atlas
from headwork.corpora.annotated.glue import TASKS, as_numbered_by, read_task
from headwork.errors import InputError
from headwork.models.loading import checkpoints
from headwork.models.scoring.glue import changes, scores
from headwork.pruning.jobs.disabling import disable_run
from headwork.pruning.jobs.ranking import removed_alone
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.jobs.attribution import attribute_run
from headwork.run.frame import Files
from headwork.settings.models import TaskSettings
from headwork.settings.pruning import DisablingSettings
from headwork.settings.relevance import AttributionRun

WORDS = wordpiece()
MNLI = ["entailment", "neutral", "contradiction"]


def classifier(names, **changes):
    torch.manual_seed(1)
    settings = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(
        vocab_size=len(WORDS), id2label=dict(enumerate(names)), initializer_range=0.5, **settings | changes
    )
    return BertForSequenceClassification(config).eval()


def renumbered(model):
    """The very same classifier, its classes numbered the other way round."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.classifier.weight.copy_(model.classifier.weight.flip(0))
        other.classifier.bias.copy_(model.classifier.bias.flip(0))
    names = list(model.config.id2label.values())[::-1]
    other.config.id2label, other.config.label2id = (
        dict(enumerate(names)),
        {name: n for n, name in enumerate(names)},
    )
    return other


@pytest.fixture
def mnli(tmp_path):
    return written(tmp_path, "MNLI", "gold_label", MNLI, ("train", "dev_matched", "dev_mismatched"))


def written(folder, name, column, labels, splits):
    """A task of pairs of sentences, in the shortened format."""
    folder = folder / name.lower()
    folder.mkdir()
    rows = [f"{line}\t{TEXT[(n + 1) % 8]}\t{labels[n * n % len(labels)]}" for n, line in enumerate(TEXT * 2)]
    for split in splits:
        (folder / f"{split}.tsv").write_text("\n".join([f"sentence1\tsentence2\t{column}", *rows]) + "\n")
    return folder


def test_the_importance_of_heads_is_for_the_same_class(mnli):
    one = classifier([name.upper() for name in MNLI])
    tables = [atlas(each, task=("mnli", mnli), tokenizer=WORDS).table for each in (one, renumbered(one))]
    found, other = (table.set_index(["layer", "head", "measure"])["value"] for table in tables)
    assert found.loc[:, :, "removal"].abs().max() > 1e-4
    pd.testing.assert_series_equal(found, other, atol=1e-5, rtol=0)


def test_jobs_on_a_model_read_back(mnli, tmp_path):
    one, task = classifier(MNLI), TaskSettings(task="MNLI", dev=("dev_matched",))
    tables, importance, alone = [], [], []
    for number, model in enumerate((one, renumbered(one))):
        folder, out = tmp_path / str(number), tmp_path / f"out{number}"
        checkpoints.save(folder, model, WORDS)
        files = Files(model=[folder / "config.json"], task=mnli)
        disable_run(files, Files(table=out / "table.csv"), task, DisablingSettings())
        tables.append(pd.read_csv(out / "table.csv"))
        names = ("importance", "completeness", "quadrature", "edges", "kept", "trees", "maps", "triggers")
        endings = {
            "trees": "json",
            "maps": "json",
            "edges": "csv",
            "kept": "csv",
            "triggers": "csv",
            "quadrature": "csv",
        }
        output = Files(**{name: out / f"{name}.{endings.get(name, 'parquet')}" for name in names})
        attribute_run(files, output, task, AttributionRun(examples=6, longest=64))
        importance.append(pd.read_parquet(output.importance))
        loaded = Classifier.load(folder, task, 64)
        texts = loaded.read(mnli, "dev_matched", 64)
        alone.append(removed_alone(loaded, texts, 400))
    pd.testing.assert_frame_equal(*tables)
    pd.testing.assert_frame_equal(*importance, atol=1e-5, rtol=1e-4)
    pd.testing.assert_frame_equal(*alone, atol=1e-5, rtol=1e-4)


def test_the_positive_class_of_f1_is_found_by_name():
    gold, answers = np.array([0, 1, 1, 0, 1, 1, 1, 0]), np.array([0, 1, 0, 0, 1, 1, 0, 1])
    task = TASKS["MRPC"]
    other, note = as_numbered_by(task, {0: "Equivalent", 1: "not-equivalent"}, "a model")
    assert note is None
    assert other.labels == ("equivalent", "not_equivalent")
    assert other.positive == 0
    expected = scores(task, gold, answers)["f1"]["value"]
    found = scores(other, 1 - gold, 1 - answers)["f1"]
    assert found["value"] == expected == pytest.approx(2 * 3 / (2 * 3 + 1 + 2))
    assert found["low"] < expected < found["high"]
    table = changes(other, 1 - gold, 1 - answers, {"same": 1 - gold})
    assert table["value"].item() == 1
    assert table["change"].item() == pytest.approx(1 - expected)
    assert table["high"].item() == pytest.approx(
        changes(task, gold, answers, {"same": gold})["high"].item(), abs=0.1
    )


def test_cells_follow_their_labels(tmp_path):
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\nbad\t0\ngood\t1\n")
    task, _ = as_numbered_by(TASKS["SST-2"], {0: "POSITIVE", 1: "NEGATIVE"}, "a model")
    assert [each.label for each in read_task(tmp_path, task, "dev")] == ["negative", "positive"]
    cells, _ = as_numbered_by(TASKS["SST-2"], {0: "1", 1: "0"}, "a model")
    assert cells.labels == ("positive", "negative")


def test_unnamed_classes_are_noted(mnli):
    model = classifier(["LABEL_0", "LABEL_1", "LABEL_2"])
    notes = atlas(model, task=("mnli", mnli), tokenizer=WORDS).models[0].notes
    assert any("0 entailment, 1 neutral, 2 contradiction" in note for note in notes)
    assert not any("no names" in note for note in atlas(model, TEXT, tokenizer=WORDS).models[0].notes)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["no", "yes"], r"has 2 classes \(no, yes\) and MNLI has 3 classes"),
        (["score"], "has one score and MNLI has 3 classes"),
        (["yes", "no", "perhaps"], "are called yes, no, perhaps, those of MNLI entailment, neutral"),
        (["entailment", "entailment", "neutral"], "are called entailment, entailment"),
        (["LABEL_0", "LABEL_1"], "has 2 classes"),
    ],
)
def test_other_classes_are_refused(mnli, tmp_path, names, says):
    model = classifier(names)
    with pytest.raises(InputError, match=says):
        atlas(model, task=("mnli", mnli), tokenizer=WORDS)
    checkpoints.save(tmp_path / "model", model, WORDS)
    with pytest.raises(InputError, match=says):
        Classifier.load(tmp_path / "model", TaskSettings(task="MNLI"), 64)
