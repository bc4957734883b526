"""From a request to the page of an atlas: what the command and the rule `atlas` call."""

from headwork.head_atlas.atlas import atlas
from headwork.run.frame import Files
from headwork.settings.atlas import NOTE, AtlasRequest, AtlasSettings


def write_atlas(
    input: Files, output: Files, asked: AtlasRequest, settings: AtlasSettings, device: str = "cpu"
) -> None:
    """Write `output.page`, the page of the atlas that is `asked` for, as `headwork.atlas` makes it, and beside it which
    model it is of.

    `input` are the files that Snakemake watches; they are read by the paths in `asked`.
    """
    given = asked.model_dump(exclude_none=True)
    if asked.pair:
        given |= {key: tuple(given[key].split(",")) for key in ("pair", "examples") if key in given}
    if asked.task:
        given["task"] = tuple(asked.task.split(":", 1))
    page = atlas(**given, settings=settings, device=device).save(output.page)
    page.with_name(NOTE).write_text(f"{asked.place}\n", encoding="utf-8")
