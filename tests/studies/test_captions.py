"""Captions are docstrings of items: what they say follows from settings and runs, in the terms of the field.

That each renders under the settings of both scales, `test_items` knows.
"""

from copy import deepcopy

import pytest
from claims_by_hand import FOLDER, study_of

from headwork.errors import InputError
from headwork.settings.config import read_config
from headwork.settings.studies import Item
from headwork.studies.gallery.captions import OPEN, caption, docstring, render_caption
from headwork.studies.study import read_studies

RUNS = [
    {
        "run": f"news-{name.lower()}-s1",
        "domain": "news",
        "pair": pair,
        "label": f"{name} (for {pair})",
        "trained": True,
    }
    for name, pair in (("Karvan", "EN-RU"), ("Velder", "EN-DE"))
]


@pytest.fixture(scope="module")
def config(root):
    return read_config(root / "config/config.yaml")


def words(config, study, item):
    """A caption in one line."""
    study = study_of(study)
    return " ".join(caption(study, study.item(item), config, RUNS, FOLDER).split())


def test_a_caption_names_runs_and_what_the_paper_leaves_open(config):
    text = words(config, "voita2019", "figure1")
    assert text.startswith("**Voita et al. 2019, Figure 1.**")
    assert "Runs: news-karvan-s1 (news, Karvan (for EN-RU)); news-velder-s1" in text
    assert "(scale: miniature)" in text
    assert OPEN in text
    assert "- relevance: prefix: ``" in text
    assert "- heads: split: ``" in text
    study = study_of("voita2019")
    html = render_caption(caption(study, study.item("figure1"), config, RUNS, FOLDER))
    assert f"<details><summary>{OPEN}</summary>" in html
    assert "Run" not in caption(study, study.item("figure6"), config, [], FOLDER).split(OPEN)[0]


def test_captions_follow_the_settings(config):
    text = words(config, "voita2019", "figure3")
    assert "here over the whole test set" in text
    changed = deepcopy(config)
    changed["heads"]["sentences"] = 1000
    text = words(changed, "voita2019", "figure3")
    assert "test set, there over its first 1000 sentences. The dashed" in text
    assert "the first 64 sentences of the test set with the engine" in words(config, "synthesis", "figure1")
    changed["pruning"]["speed"] = {"sentences": None, "repeats": 5}
    text = words(changed, "synthesis", "figure1")
    assert "translating the test set with the engine" in text
    assert "fastest of 5 turns of each counts" in text


def test_a_module_without_a_docstring_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/figure1.py").write_text("def draw(): ...\n")
    with pytest.raises(InputError, match=r"mine/figure1\.py: the module has no docstring; write the caption"):
        docstring(
            Item(study="mine", key="figure1", title="Figure 1", section="1", shows="it", roles=()), tmp_path
        )


def test_the_caption_says_where_nothing_was_published_as_numbers():
    for study in read_studies(FOLDER).values():
        for item in study.items:
            told = "Published: not available as numbers" in " ".join(docstring(item, FOLDER).split())
            assert told == (not item.published and study.key != "synthesis"), item.rule
