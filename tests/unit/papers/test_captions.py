"""Captions are rendered as Snakemake's report does it: Jinja first, then reStructuredText, without a complaint."""

from types import SimpleNamespace

import jinja2
import pytest
from docutils.core import publish_parts

CONFIG = {"scale": "miniature", "heads": {"confidence": {"end_of_sentence": "drop"}, "minimum": 100}}
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
CAPTIONS = (
    "workflow",
    "claims",
    *(f"voita2019/{item}" for item in ("figure1", "figure2", "figure3", "figure4", "figure5", "table1")),
)


def rendered(root, name, inputs):
    snakemake = SimpleNamespace(config=CONFIG, params=SimpleNamespace(runs=RUNS), input=inputs)
    text = (root / f"workflow/report/{name}.rst").read_text()
    source = (
        jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text).render(snakemake=snakemake)
    )
    # halt_level 2: a warning of docutils is an error here
    return publish_parts(source, writer="html", settings_overrides={"halt_level": 2})["body"]


@pytest.mark.parametrize("name", CAPTIONS)
def test_captions_render(root, name):
    text = rendered(root, name, {})
    assert "{{" not in text
    if name.startswith("voita2019"):
        assert "news-karvan-s1 (news, Karvan (for EN-RU)); news-velder-s1" in text.replace("\n", " ")
        assert "scale: miniature" in text
        assert "minimum: " in text


def test_figure1_says_what_heads_are_sorted_by(root):
    assert "until relevance (panel a)" in " ".join(rendered(root, "voita2019/figure1", {}).split())
    assert "by relevance, the most relevant first" in " ".join(
        rendered(root, "voita2019/figure1", {"relevance": ["relevance.parquet"]}).split()
    )
