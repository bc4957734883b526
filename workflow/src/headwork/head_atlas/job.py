"""What the rule `atlas` calls: from a model and a text to one page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headwork.head_atlas.atlas import AtlasSettings, atlas
from headwork.settings.options import options

Files = Sequence[Path]


def write_atlas(
    asked: Mapping[str, Any],
    settings: Mapping[str, Any],
    page_path: str | Path,
    *,
    model_files: Files = (),
    compare_files: Files = (),
    text_files: Files = (),
    device: str = "cpu",
) -> None:
    """Write the page of the atlas that is `asked` for: the keys `model`, `text`, ... of `headwork.atlas`.

    The files are those that Snakemake watches; they are read by the paths in `asked`.
    """
    given = {key: value for key, value in asked.items() if value is not None}
    if "pair" in given:
        for key in given.keys() & {"pair", "examples"}:
            given[key] = tuple(given[key].split(","))
    if "task" in given:
        given["task"] = tuple(given["task"].split(":", 1))
    how = options(AtlasSettings, settings, "atlas")
    atlas(**given, settings=how, device=device).save(page_path)
