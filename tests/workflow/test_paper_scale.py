"""The paper scale cannot be run here; that it can be planned, and that the library takes its settings, can be known."""

import re
from pathlib import Path

import pytest
import yaml
from conftest import merged

from headwork.corpora.cleaning import Cleaning
from headwork.corpora.download import Address
from headwork.corpora.subwords import Subwords
from headwork.models.build import Architecture, BertArchitecture
from headwork.models.finetuning import FineTuning
from headwork.models.finetuning_run import TaskSettings
from headwork.models.gates import GateSettings
from headwork.models.hub_files import NamedModel
from headwork.models.masking import MaskingSettings
from headwork.models.pretraining_run import settings_of
from headwork.models.recipe import Recipe
from headwork.options import options

pytestmark = pytest.mark.workflow

SCALES = {"paper": ["config/paper.yaml"], "paper-open": ["config/paper.yaml", "config/paper-open.yaml"]}
# what has to be got by hand, and lies in the data folder
RESTRICTED = [
    "yandex/corpus.en_ru.1m.en", "yandex/corpus.en_ru.1m.ru", "rwth/de-en.src-tgt", "rwth/alignmentDeEn.talp",
    "ontonotes/conll2012-dev.conllu", "ptb/train.conllu", "ptb/dev.conllu",
    "conll2003/eng.train", "conll2003/eng.testb", "pmb/semantic.train.tsv", "pmb/semantic.test.tsv",
]  # fmt: skip


def scale(root: Path, name: str) -> dict:
    """The settings of a scale alone, without the default ones."""
    settings: dict = {}
    for path in SCALES[name]:
        settings = merged(settings, yaml.safe_load((root / path).read_text()))
    return settings


@pytest.mark.long
def test_the_whole_plan(clone) -> None:
    for path in RESTRICTED:
        (clone / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / "data" / path).touch()
    planned = clone.planned(options=["--configfile", "config/paper.yaml", "--config", "data=data"])
    published = {
        **{"voita2019": (10, 2), "clark2019": (6, 3), "kobayashi2020": (5, 2), "kovaleva2019": (9, 1)},
        **{"hao2021": (6, 1), "coenen2019": (4, 3), "voita2019b": (12, 0), "raganato2018": (1, 4)},
    }
    for study, (figures, tables) in published.items():
        items = [rule for rule in planned if rule.startswith(f"{study}_")]
        assert len(items) == figures + tables, study
    whole = {"voita2019": 4 + 1, "kobayashi2020": 1, "raganato2018": 1 + 3, "voita2019b": 2 + 1}
    assert planned["train"] == sum(whole.values()), "base models and controls; of Europarl one of five seeds"
    assert planned["language_model"] == 5
    assert planned["train_gated"] == 11 + 12 + 13 + 11 + 4 + 3, (
        "the points of figures 7 and 9, and table 2 from scratch"
    )
    assert (planned["download"], planned["hub_model"], planned["stanza_models"]) == (21, 2, 2)
    assert "world" not in planned
    assert "world_tasks" not in planned
    every = clone.planned(
        "all_models", "all_downloads", options=["--configfile", "config/paper.yaml", "--config", "data=data"]
    )
    assert every["finetune"] == 7 * 4 + 4
    assert every["download"] == 21


@pytest.mark.long
def test_the_plan_without_restricted_data(clone) -> None:
    planned = clone.planned(options=["--configfile", *SCALES["paper-open"]])
    assert {"clark2019_table1", "clark2019_table2", "kobayashi2020_table2", "voita2019_figure7"} < set(
        planned
    )
    assert planned["download"] == 21 + 4


@pytest.mark.long
def test_restricted_data_that_are_not_there(clone) -> None:
    done = clone.snakemake("-n", "--configfile", "config/paper.yaml", "--config", "data=docs", check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert re.search(
        r"docs/(yandex|rwth|ptb|ontonotes|conll2003|pmb)/.*: no such file, .*; check `path` and the data folder",
        said,
    ), said


@pytest.mark.parametrize("name", SCALES)
def test_the_library_takes_every_setting(root, name) -> None:
    settings = scale(root, name)
    for key, recipe in settings["recipes"].items():
        if "epochs" in recipe:
            options(FineTuning, recipe, key)
        elif "segments" in recipe:
            settings_of(recipe, key)
        elif "masking" in recipe:
            options(MaskingSettings, recipe["masking"], key)
            options(Recipe, {name: value for name, value in recipe.items() if name != "masking"}, key)
        else:
            options(GateSettings, options(Recipe, recipe, key).gates, key)
    for key, shape in settings["architectures"].items():
        kind = (
            NamedModel
            if "model" in shape
            else BertArchitecture
            if shape["family"] == "bert"
            else Architecture
        )
        options(kind, shape, key)
    for key, corpus in (settings["corpora"] | settings["texts"]).items():
        own = {name: value for name, value in corpus.get("subwords", {}).items() if name != "sources_of"}
        options(Subwords, own, key)
        options(Cleaning, corpus.get("cleaning", {}), key)
    for key, task in settings["tasks"].items():
        options(TaskSettings, {"task": task["task"]}, key)


@pytest.mark.parametrize("name", SCALES)
def test_every_download_has_its_terms_and_all_but_few_a_checksum(root, name) -> None:
    downloads = scale(root, name)["downloads"]
    addresses = {key: options(Address, entry, key) for key, entry in downloads.items()}
    assert all(len(address.licence) > 5 for address in addresses.values())
    unknown = {key for key, address in addresses.items() if not (address.sha256 and address.bytes)}
    assert unknown <= {
        *("opensubtitles-en-ru", "opensubtitles-links", "setimes-en-tr", "ewt-train", "ewt-dev", "pud"),
        *("conll2000-train", "conll2000-test", "wsd-framework"),
    }
    models = [shape for shape in scale(root, name)["architectures"].values() if "model" in shape]
    assert all(model["revision"] for model in models)
