"""The files taken from a published model: safetensors, config and tokenizer, never code or pickled weights."""

import json
from pathlib import Path

from headwork.errors import InputError

WEIGHTS = "model.safetensors"
FILES = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json")
# older models list special and added tokens here, and transformers still reads them
OPTIONAL = ("special_tokens_map.json", "added_tokens.json")


def check_files(folder: Path, name: str) -> None:
    """Raise `InputError` if the model `name`, whose files lie in `folder`, lacks one, or needs code of its own."""
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        raise InputError(
            f"{name}: the model has no {missing[0]}; only safetensors with a tokenizer.json are loaded: "
            "save it in this form, with `save_pretrained` of transformers, and give that folder as `model`"
        )
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            f"{name}: its config.json is not JSON ({error}); report it to the publisher"
        ) from error
    if "auto_map" in config:
        raise InputError(
            f"{name}: needs code of its own, and a model's own code is not run; choose a model of transformers"
        )
