"""Captions are rendered as Snakemake's report does it: Jinja first, then reStructuredText, without a complaint."""

import re
from pathlib import Path

import pytest
import yaml
from headwork.papers.gallery.captions import render_caption
from headwork.papers.study import read_study

CONFIG = {
    "scale": "miniature",
    "heads": {"split": "test", "sentences": 1000, "confidence": {"end_of_sentence": "drop"}, "minimum": 100},
    "relevance": {"prefix": "reference"},
    "aligners": [{"model": "fast_align", "pairs": 4000}, {"model": "hmm"}],
    "attribution": {
        "examples": 200,
        "leak": False,
        "attribution": {"rule": "gauss"},
        "tree": {"threshold": 0.4},
        "triggers": {"tried": 8},
    },
}
RUNS = [
    {
        "run": "news-karvan-s1",
        "domain": "news",
        "pair": "EN-RU",
        "label": "Karvan (for EN-RU)",
        "trained": True,
    },
    {
        "run": "news-velder-s1",
        "domain": "news",
        "pair": "EN-DE",
        "label": "Velder (for EN-DE)",
        "trained": True,
    },
]
REPORT = Path(__file__).parents[3] / "workflow/report"
CAPTIONS = ["workflow", "claims"]
CAPTIONS += sorted(path.relative_to(REPORT).with_suffix("").as_posix() for path in REPORT.glob("*/*.rst"))
CLOSED_FORM = "voita2019/figure6"  # made of no run


def rendered(root, name):
    config = yaml.safe_load((root / "config/config.yaml").read_text()) | CONFIG
    return render_caption(root / f"workflow/report/{name}.rst", config, RUNS)


@pytest.mark.parametrize("name", CAPTIONS)
def test_captions_render(root, name):
    text = rendered(root, name)
    assert "{{" not in text
    if "/" in name and name != CLOSED_FORM:
        assert "scale: miniature" in text
        assert "news-karvan-s1" in text
        assert "news-velder-s1" in text


def test_captions_tell_what_the_paper_leaves_open(root):
    for name, part in (
        ("figure1", "relevance: prefix"),
        ("figure1", "heads: minimum"),
        ("figure8", "minimum"),
    ):
        assert f"{part}: " in rendered(root, f"voita2019/{name}")
    runs = "news-karvan-s1 (news, Karvan (for EN-RU)); news-velder-s1"
    assert runs in rendered(root, "voita2019/table1").replace("\n", " ")


def test_the_caption_of_figure3_says_over_what_its_shares_are(root, monkeypatch):
    text = " ".join(rendered(root, "voita2019/figure3").split())
    assert "here over the whole test set, there over its first 1000 sentences. The dashed" in text
    monkeypatch.setitem(CONFIG["heads"], "sentences", None)
    text = " ".join(rendered(root, "voita2019/figure3").split())
    assert "here over the whole test set. The dashed" in text


def test_the_caption_of_the_speed_says_what_is_timed(root, monkeypatch):
    text = " ".join(rendered(root, "synthesis/figure1").split())
    assert "translating the first 64 sentences of the test set with the engine" in text
    monkeypatch.setitem(CONFIG, "pruning", {"speed": {"sentences": None, "repeats": 5}})
    text = " ".join(rendered(root, "synthesis/figure1").split())
    assert "translating the test set with the engine" in text
    assert "the fastest of 5 turns of each counts" in text


def test_the_caption_says_where_nothing_was_published_as_numbers(root):
    for path in sorted((root / "config/papers").glob("*.yaml")):
        study = read_study(path)
        for item in study.items:
            told = "Published: not available as numbers" in rendered(root, f"{study.key}/{item.key}")
            assert told == (not item.published and study.key != "synthesis"), item.rule


def test_figures_and_captions_use_the_terms_of_the_field(root):
    """What was called otherwise once, by the term that is now written."""
    strange = {
        "even attention|attends? evenly": "uniform attention",
        r"\blook(s|ed)? at\b": "attends to",
        "on a plane": "2-D projection",
        "end mark": "EOS",
        "left as it is": "frozen",
        "dealt out anew": "permuted labels",
        "token read|token that is read": "input token",
        "to be said": "output (target) token",
        "role links": "predicate-argument links",
        "never trained": "untrained",
        r"\bper cent": "shares as 0.84",
    }
    files = [*(root / "workflow/report").glob("*/*.rst"), *(root / "workflow/figures").glob("*/*.py")]
    shown = {path.relative_to(root): path.read_text(encoding="utf-8") for path in files}
    for path in (root / "config/papers").glob("*.yaml"):
        shown[path.name] = "\n".join(item.shows for item in read_study(path).items)
    for name, text in shown.items():
        for words, term in strange.items():
            assert not re.search(words, text), f"{name}: write {term}"


def test_every_caption_is_rendered(root):
    folder = root / "workflow/report"
    items = {str(path.relative_to(folder).with_suffix("")) for path in folder.glob("*/*.rst")}
    assert items <= set(CAPTIONS)
