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

from headwork.settings.pruning import PruningSettings
from headwork.settings.representations import Representations
from headwork.settings.run_sheets import Row
from headwork.settings.scale import Config
from headwork.settings.studies import Study

HEAD = "<!-- made of the models of headwork.settings by `make docs` -->"
OF_SECTIONS = (PruningSettings, Representations)
FEW = 2  # keys that are explained where they are used
BESIDE = {"`runs.tsv`": Row, "`study.yaml`": Study}  # what stands beside the config
Model = type[BaseModel]


def pages() -> dict[str, str]:
    """The pages, by name."""
    explained: dict[Model, str] = {}
    found: dict[str, list[str]] = {}
    sections = [each for name, field in Config.model_fields.items() for each in sections_of(name, field)]
    for name, model in [("Top level", Config), *sections, *BESIDE.items()]:
        page = model.__module__.rpartition(".")[2]
        if page not in found:
            title, _, text = (sys.modules[model.__module__].__doc__ or "").partition("\n")
            found[page] = [HEAD, f"# {title.rstrip('.')}", text.strip()]
        rows = [f"| {' | '.join(cells)} |" for cells in rows_of(model, f"{page}.md", name, "", explained)]
        table = ["| key | meaning | default |", "|---|---|---|", *rows]
        found[page] += [f"## {name}", (getdoc(model) or "").strip(), "\n".join(table)]
    return {page: "\n\n".join(filter(None, parts)) + "\n" for page, parts in found.items()}


def sections_of(name: str, field: FieldInfo) -> Iterator[tuple[str, Model]]:
    """The headings of a field of the config, with their models: of a section of sections, one for each of these."""
    models = models_in(field.annotation)
    for model in models:
        if model in OF_SECTIONS:
            for key, inner in model.model_fields.items():
                yield from sections_of(f"{name}.{key}", inner)
        else:
            path = f"`{name}{_ids(field)}`"
            yield path if len(models) == 1 else f"{path}: `{model.__name__}`", model


def rows_of(
    model: Model, page: str, section: str, prefix: str, explained: dict[Model, str]
) -> Iterator[tuple[str, str, str]]:
    """The rows of a model's keys and of those below them: key, meaning, default."""
    explained[model] = f"[{section}{f', `{prefix[:-1]}`' if prefix else ''}]({page})"
    for key, field in model.model_fields.items():
        inner, meaning = models_in(field.annotation), " ".join((field.description or "").split())
        if (inner and model is Config) or not (inner or meaning):
            continue  # a section of its own, or not a key of the file
        path = f"{prefix}{key}{_ids(field)}"
        if not inner:
            yield f"`{path}`", meaning, default_of(field)
        elif known := [explained[each] for each in inner if each in explained]:
            yield (
                f"`{path}`",
                "; ".join(filter(None, [meaning, f"see {', '.join(known)}"])),
                default_of(field),
            )
        else:
            for each in inner:
                yield f"`{path}`", meaning or " ".join((getdoc(each) or "").split()), default_of(field)
                yield from rows_of(each, page, section, f"{path}.", explained)


def _ids(field: FieldInfo) -> str:
    """What stands for the names of one's choice in a path."""
    return ".<id>" if get_origin(field.annotation) is dict and models_in(field.annotation) else ""


def models_in(annotation: Any) -> list[Model]:
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
