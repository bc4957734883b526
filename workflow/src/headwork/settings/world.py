"""The miniature world."""

from typing import Annotated, Literal

from pydantic import Field

from headwork.settings.base import Count, Positive, Settings, Several

Domain = Literal["news", "subtitles"]
WorldLanguage = Literal["karvan", "velder", "lorine"]


class TaskSizes(Settings):
    """Examples of each generated task."""

    train: Positive = 4000
    """Examples of the training split."""
    dev: Positive = 500
    """Examples of each development split."""


class World(Settings):
    """The miniature world, a generated corpus with gold annotation ([miniature-world.md](../miniature-world.md))."""

    seed: Count
    """Seed of the generator."""
    sentences: dict[Domain, Positive]
    """Sentences generated for each domain, `news` and `subtitles`, before cleaning and splitting."""
    languages: Annotated[Several[WorldLanguage], Field(min_length=1)]
    """Languages that it is translated into."""
    tasks: TaskSizes = TaskSizes()
    """Generated tasks in the file formats of GLUE."""
