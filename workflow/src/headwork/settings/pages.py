"""docs/config: a page for each module of settings, made of its models.

    python -m headwork.settings.pages

A page begins with the docstring of its module. Each section of the config has a table of its keys: the strings below
the fields say what they mean. Settings that stand in several places are explained once, and referred to elsewhere.
"""

import json
import sys
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from headwork.settings.run_sheets import Row
from headwork.settings.scale import Config
from headwork.settings.studies import Item, Study

HEAD = "<!-- made of the models of headwork.settings by `make docs` -->"
BESIDE = {"the run sheet": Row, "study.yaml": Study, "items.<item>": Item}  # what stands beside the config


def pages() -> dict[str, str]:
    """The pages, by name."""
    explained: dict[type[BaseModel], str] = {}
    found: dict[str, list[str]] = {}
    sections = [
        (name + ".<id>" * (get_origin(field.annotation) is dict), model)
        for name, field in Config.model_fields.items()
        for model in models_in(field.annotation)
    ]
    for name, model in [("", Config), *sections, *BESIDE.items()]:
        page = model.__module__.rpartition(".")[2]
        if page not in found:
            title, _, text = (sys.modules[model.__module__].__doc__ or "").partition("\n")
            found[page] = [HEAD, f"# {title.rstrip('.')}", text.strip()]
        heading = f"## `{name}`" if name else "## Top level"
        rows = [f"| {' | '.join(cells)} |" for cells in rows_of(model, "", f"{page}.md", explained)]
        found[page] += [
            heading,
            getdoc(model) or "",
            "\n".join(["| key | meaning | default |", "|---|---|---|", *rows]),
        ]
    return {page: "\n\n".join(filter(None, parts)) + "\n" for page, parts in found.items()}


def rows_of(
    model: type[BaseModel], prefix: str, page: str, explained: dict[type[BaseModel], str]
) -> Iterator[tuple[str, str, str]]:
    """The rows of a model's keys and of those below them: key, meaning, default."""
    explained[model] = f"[`{model.__name__}`]({page})"
    for key, field in model.model_fields.items():
        inner = [] if model is Config else models_in(field.annotation)
        if model is Config and models_in(field.annotation):
            continue  # a section of its own
        meaning = " ".join((field.description or "").split())
        path = f"{prefix}{key}" + ".<id>" * (bool(inner) and get_origin(field.annotation) is dict)
        new = [each for each in inner if each not in explained]
        if inner and not new:
            known = ", ".join(explained[each] for each in inner)
            yield f"`{path}`", f"{meaning}; see {known}".removeprefix("; "), default_of(field)
        elif inner:
            for each in new:
                about = meaning or " ".join((getdoc(each) or "").split())
                yield f"`{path}`", about, default_of(field)
                yield from rows_of(each, f"{path}.", page, explained)
        else:
            yield f"`{path}`", meaning, default_of(field)


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation such as ``dict[str, Recipe | FineTuning]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    parts = get_args(annotation)[:1] if get_origin(annotation) is Annotated else get_args(annotation)
    if get_origin(annotation) is Literal:
        return []
    return [model for part in parts for model in models_in(part)]


def default_of(field: FieldInfo) -> str:
    """The default of a field, as YAML; a dash for what has none, or has keys of its own."""
    if field.is_required():
        return "required" if not models_in(field.annotation) else "–"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel) or models_in(field.annotation):
        return "–"
    return f"`{json.dumps(value, default=list, ensure_ascii=False)}`".replace('"', "")


def main() -> None:
    """Write the pages to docs/config."""
    for name, text in pages().items():
        Path("docs/config", f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
