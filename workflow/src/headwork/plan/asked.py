"""The files of an atlas: those of the model and the text that the command names."""

import re
from pathlib import Path

from headwork.corpora.annotated.glue import TASKS, task_file
from headwork.errors import InputError, no_file
from headwork.models.loading.wheels import files_of_model
from headwork.settings.atlas import NOTE, AtlasRequest
from headwork.settings.base import require

STANZA = "stanza:"


def atlas_name(asked: AtlasRequest) -> str:
    """The folder of the page: the name that is given, or one made of the model's."""
    model = (asked.model or "model").removeprefix("package:")
    folder = Path(model).resolve() if Path(model).is_dir() else Path(model)
    return asked.name or re.sub(r"[^\w.-]+", "-", folder.name).lstrip("-.") or "model"


def check_page(asked: AtlasRequest, folder: Path) -> None:
    """Raise `InputError` if the page in the folder is of another model, such as another ``checkpoint-500``."""
    note = folder / NOTE
    if note.is_file() and (of := note.read_text(encoding="utf-8").strip()) != asked.place:
        raise InputError(
            f"{folder} has the page of another model, {of}; give this one a name of its own, by name=..."
        )


def check_paths(asked: AtlasRequest) -> None:
    """Raise `InputError` for a path that Snakemake would read as a pattern."""
    for key, value in asked.model_dump(exclude_none=True).items():
        held = sorted(set(value) & set("<>{}"))
        remedy = "rename it, or use the command `headwork atlas`"
        require(not held, f"{key}={value}: a path in Snakemake must not hold {' '.join(held)}; {remedy}")


def asked_files(asked: AtlasRequest, folder: Path | None = None) -> dict[str, list[str]]:
    """The files that the command names, so that a changed one makes the page anew.

    Raises `InputError`, which says what to write, also where the page in the `folder` is of another model.
    """
    require(
        bool(asked.model), "an atlas is of a model: snakemake atlas --config model=FOLDER-OR-NAME text=FILE"
    )
    if folder is not None:
        check_page(asked, folder)
    told = [files for files in (asked.text, asked.pair, asked.examples) if files]
    texts = [path for files in told for path in (files.split(",") if asked.pair else [files])]
    if asked.parser and not asked.parser.startswith(STANZA):
        texts.append(asked.parser)
    for path in texts:
        require(Path(path).is_file(), f"{path}: {no_file(path, 'there is no such file; check the path')}")
    if asked.task:
        texts.append(_dev_file(*asked.task.split(":", 1)))
    if asked.parser and asked.parser.startswith(STANZA):
        inside = Path(asked.parser.removeprefix(STANZA)).rglob("[!.]*")
        texts += sorted(str(path) for path in inside if path.is_file())
    models = {"model": asked.model, "compare": asked.compare}
    files = {f"{key}_files": files_of_model(model) for key, model in models.items() if model}
    return {**files, "text_files": texts}


def _dev_file(name: str, folder: str) -> str:
    """The dev set of a task, whose name may be written in any case."""
    task = {key.lower(): task for key, task in TASKS.items()}.get(name.lower())
    return str(task_file(folder, task or name, task.dev[0] if task else "dev"))
