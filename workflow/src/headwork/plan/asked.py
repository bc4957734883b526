"""The files of an atlas: those of the model and the text that the command names."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headwork.corpora.annotated.glue import TASKS, task_file
from headwork.errors import InputError

ASKED = ("model", "text", "pair", "task", "parser", "compare", "examples", "name")
MODEL_FILES = ("model.safetensors", "config.json", "tokenizer.json")


def atlas_name(config: Mapping[str, Any]) -> str:
    """The folder of the page: the name that is given, or one made of the model's."""
    model = str(config.get("model") or "model").removeprefix("package:").rstrip("/")
    return config.get("name") or re.sub(r"[^\w.-]+", "-", Path(model).name)


def asked_files(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """The files that the command names, so that a changed one makes the page anew; `InputError` says what to write."""
    asked = {key: config[key] for key in ASKED if config.get(key)}
    if "model" not in asked:
        raise InputError("an atlas is of a model: snakemake atlas --config model=FOLDER-OR-NAME text=FILE")
    told = [asked[key] for key in ("text", "pair", "examples") if key in asked]
    texts = [path for files in told for path in (files.split(",") if "pair" in asked else [files])]
    if not asked.get("parser", "stanza:").startswith("stanza:"):
        texts.append(asked["parser"])
    for path in texts:
        if not Path(path).is_file():
            raise InputError(f"{path}: there is no such file; check the path")
    if "task" in asked:
        texts.append(_dev_file(*asked["task"].split(":", 1)))
    models = {
        key: [Path(asked[key], name) for name in MODEL_FILES] for key in ("model", "compare") if key in asked
    }
    files = {f"{key}_files": [str(file) for file in paths if file.is_file()] for key, paths in models.items()}
    return {**files, "text_files": texts}


def _dev_file(name: str, folder: str) -> str:
    """The dev set of a task, whose name may be written in any case."""
    task = {key.lower(): task for key, task in TASKS.items()}.get(name.lower())
    return str(task_file(folder, task or name, task.dev[0] if task else "dev"))
