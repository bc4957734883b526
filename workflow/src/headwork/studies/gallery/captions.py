"""Captions of items: the docstrings of their modules, with what follows from the scale and its runs.

A docstring is a template (Jinja) of reStructuredText, in which `config` are the settings of the scale and `runs` the
item's runs.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from docutils.core import publish_parts

from headwork.errors import InputError
from headwork.settings.studies import Item, Study

# A caption is text: it includes no file and no HTML of its own. Level 2: what docutils warns of is an error.
DOCUTILS = {"halt_level": 2, "report_level": 2, "raw_enabled": False, "file_insertion_enabled": False}
OPEN = "Choices that the paper leaves open, as set in the config"
# A list of settings is long: the page folds it away.
SETTINGS = re.compile(rf"<p>({OPEN}):</p>\n(<ul.*?</ul>)", re.DOTALL)


def caption(
    study: Study, item: Item, config: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], folder: str | Path
) -> str:
    """The caption in reStructuredText of an item made of these `runs` under these settings.

    Raises `jinja2.UndefinedError` for a setting that is not there, `InputError` for a module without a docstring.
    """
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    template = environment.from_string(docstring(item, folder))
    first, *rest = template.render(config=config, runs=runs).split("\n\n")
    parts = [f"**{study.cited}, {item.title}.** {first}", _of_runs(item, runs, config["scale"]), *rest]
    settings = [
        f"- {section}: {name}: ``{value}``"
        for section in item.settings
        for name, value in config.get(section, {}).items()
    ]
    return "\n\n".join([*filter(None, parts), *([f"{OPEN}:", "\n".join(settings)] if settings else [])])


def _of_runs(item: Item, runs: Sequence[Mapping[str, Any]], scale: str) -> str:
    if not runs:
        return ""
    word = "Baseline" if item.sweeps else "Run"
    named = "; ".join(f"{run['run']} ({run['domain']}, {run['label']})" for run in runs)
    return f"{word}{'s' * (len(runs) > 1)}: {named} (scale: {scale})."


def docstring(item: Item, folder: str | Path) -> str:
    """The docstring of an item's module, which is not run: the caption, a template (`gallery.captions`)."""
    path = Path(folder) / item.study / f"{item.key}.py"
    found = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not found:
        raise InputError.at(
            path, "the module has no docstring; write the caption of the item as its docstring"
        )
    return found


def render_caption(text: str) -> str:
    """A caption in reStructuredText as HTML; raises `docutils.utils.SystemMessage` for invalid text."""
    html = publish_parts(text, writer="html5", settings_overrides=DOCUTILS)["body"]
    return SETTINGS.sub(r"<details><summary>\1</summary>\2</details>", html)
