"""The paper scale cannot be run here; that it can be planned can be known."""

import re
from pathlib import Path

import pytest
import yaml
from clones import merged

from headwork.settings.corpora import Download
from headwork.studies.study import read_studies

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


# what the default scale says of the last phases and holds here too: as published, or ours and not for want of time
SHARED = {
    *("attribution.leak", "attribution.answer", "attribution.tree.threshold"),
    *("attribution.attribution.rule", "attribution.attribution.steps"),
    *("pruning.measures.kinds", "pruning.measures.gates.steps", "pruning.measures.gates.penalty"),
    "representations.evolution.groups.pos",
    "representations.plane.permutations",
    *(f"representations.tags.tasks.{name}.tag" for name in ("chunks", "entities", "semantic")),
    *(
        f"representations.tags.{key}"
        for key in ("probes", "untrained_probes", "linear.rate", "linear.epochs")
    ),
    "representations.geometry.attention.seeds",
    *("representations.senses.semantic.rate", "representations.senses.projection.method"),
}


def keys(settings: dict, before: str = "") -> set[str]:
    """The places of all values, with dots between the keys."""
    return {
        place
        for key, value in settings.items()
        for place in (keys(value, f"{before}{key}.") if isinstance(value, dict) else [f"{before}{key}"])
    }


@pytest.mark.parametrize("name", SCALES)
def test_no_economy_of_the_default_scale_holds_here_by_oversight(root, name) -> None:
    default, own = (
        {part: settings[part] for part in ("attribution", "pruning", "representations")}
        for settings in (yaml.safe_load((root / "config/config.yaml").read_text()), scale(root, name))
    )
    assert keys(merged(default, own)) - keys(own) <= SHARED


def test_clusters_give_the_states_of_a_treebank_room(root) -> None:
    layers = scale(root, "paper")["representations"]["geometry"]["layers"]
    words, dimensions = 950_000, 768
    for name in ("slurm", "kubernetes"):
        profile = yaml.safe_load((root / f"profiles/{name}/profile.yaml").read_text())
        first_try = int(profile["set-resources"]["geometry"]["mem_mb"].removeprefix("attempt * "))
        # the classifiers on pairs of words and the libraries need as much again
        assert 2 * 4 * len(layers) * words * dimensions < first_try * 1e6


@pytest.mark.long
def test_the_whole_plan(clone, root) -> None:
    for path in RESTRICTED:
        (clone / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / "data" / path).touch()
    planned = clone.planned(options=["--configfile", "config/paper.yaml", "--config", "data=data"])
    studies = read_studies(root / "workflow/studies").values()
    assert set(planned) >= {
        item.rule for study in studies for item in study.items if study.key != "synthesis"
    }
    # of German text no item needs trees, so only the English parser is fetched, and nothing is generated
    assert {"download", "hub_model", "stanza_models", "train", "train_gated", "language_model"} <= set(
        planned
    )
    assert not {"world", "world_tasks"} & set(planned)


@pytest.mark.long
def test_the_plan_without_restricted_data(clone) -> None:
    """Other text, which is fetched, takes its place."""
    planned = clone.planned(options=["--configfile", *SCALES["paper-open"]])
    assert {"clark2019_table1", "clark2019_table2", "kobayashi2020_table2", "voita2019_figure7"} < set(
        planned
    )


@pytest.mark.long
def test_restricted_data_that_are_not_there(clone) -> None:
    done = clone.snakemake("-n", "--configfile", "config/paper.yaml", "--config", "data=docs", check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert re.search(
        r"docs/(yandex|rwth|ptb|ontonotes|conll2003|pmb)/.*: the file does not exist, .*; check `path`",
        said,
    ), said


@pytest.mark.parametrize("name", SCALES)
def test_every_download_has_its_terms_and_all_but_few_a_checksum(root, name) -> None:
    downloads = scale(root, name)["downloads"]
    addresses = {key: Download.read(entry, key) for key, entry in downloads.items()}
    assert all(len(address.licence) > 5 for address in addresses.values())
    unknown = {key for key, address in addresses.items() if not (address.sha256 and address.bytes)}
    assert unknown <= {
        *("opensubtitles-en-ru", "opensubtitles-links", "setimes-en-tr", "ewt-train", "ewt-dev", "pud"),
        *("conll2000-train", "conll2000-test", "wsd-framework"),
    }
    models = [shape for shape in scale(root, name)["architectures"].values() if "model" in shape]
    assert all(model["revision"] for model in models)
