"""Captions of items, rendered to HTML as in Snakemake's report: Jinja first, then reStructuredText."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
from docutils.core import publish_parts

# A caption is text: it includes no file and no HTML of its own. Level 2: what docutils warns of is an error.
DOCUTILS = {"halt_level": 2, "report_level": 2, "raw_enabled": False, "file_insertion_enabled": False}


def render_caption(path: str | Path, settings: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> str:
    """The caption in `path` as HTML, of an item made of these `runs` under these `settings`.

    Raises jinja2.UndefinedError for a setting that is not there, docutils.utils.SystemMessage for invalid
    reStructuredText.
    """
    job = SimpleNamespace(config=settings, params=SimpleNamespace(runs=runs), input={})
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    source = environment.from_string(Path(path).read_text(encoding="utf-8")).render(snakemake=job)
    return publish_parts(source, writer="html5", settings_overrides=DOCUTILS)["body"]
