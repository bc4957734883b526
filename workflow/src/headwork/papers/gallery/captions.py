"""Captions of items, rendered to HTML as in Snakemake's report: Jinja first, then reStructuredText."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
from docutils.core import publish_parts

# A caption is text: it includes no file and no HTML of its own. Level 2: what docutils warns of is an error.
DOCUTILS = {"halt_level": 2, "report_level": 2, "raw_enabled": False, "file_insertion_enabled": False}
# A list of settings is long: the page folds it away.
SETTINGS = re.compile(r"<p>(Choices that the paper leaves open.*?):</p>\n(<ul.*?</ul>)", re.DOTALL)


def render_caption(path: str | Path, settings: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> str:
    """The caption in `path` as HTML, of an item made of these `runs` under these `settings`.

    Raises jinja2.UndefinedError for a setting that is not there, docutils.utils.SystemMessage for invalid
    reStructuredText.
    """
    job = SimpleNamespace(config=settings, params=SimpleNamespace(runs=runs), input={})
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    source = environment.from_string(Path(path).read_text(encoding="utf-8")).render(snakemake=job)
    html = publish_parts(source, writer="html5", settings_overrides=DOCUTILS)["body"]
    return SETTINGS.sub(r"<details><summary>\1</summary>\2</details>", html)
