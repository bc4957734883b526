"""Corpora: of running text, how it is cut into segments and how sentences are selected from it."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from headwork.settings.base import Count, Positive, Settings, Several, require

Split = Literal["train", "dev", "test"]
GlueTask = Literal["SST-2", "MRPC", "RTE", "MNLI", "QNLI", "QQP", "STS-B", "CoLA"]
Language = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9-]*$")]
"""A language's code, in which names of files end."""


class SegmentSettings(Settings):
    """Segments of two consecutive parts A and B, as in BERT's pretraining."""

    pieces: Annotated[int, Field(ge=5)] = 128
    """Segment length in subword tokens, special tokens included."""
    lone: Literal["halve", "skip", "stop"] = "halve"
    """A sentence that fills a segment alone: `halve` it, `skip` it, or `stop` reading its paragraph, as the code of
    Clark et al. does."""


class TaskFiles(Settings):
    """Where the files of a GLUE task lie. Without `path` and `download` it is the generated task of that name."""

    path: str | None = None
    """Folder below `data`, in the official file formats."""
    trees: str | None = None
    """CoNLL-U of its first dev set, below `data`, for features of words; `sent_id` ends in `-<example>-<sentence>`."""
    download: str | None = None
    """Id in `downloads`."""
    folder: str | None = None
    """Folder inside the archive, if it is not the task's name."""
    dev_ids: str | None = None
    """MRPC: id in `downloads` of the list of dev pairs."""


class TextSource(Settings):
    """Files of the data folder."""

    path: str
    """File, folder or glob pattern below `data`."""
    lines: Literal["sentences", "paragraphs"] = "paragraphs"
    """What a line is: `paragraphs`, which are split, or `sentences`."""
    document: Positive = 1
    """Bound on the length of a document (an article, a novel), in lines. Lines nearer than that to held-out text are
    left out."""
    dev: Count = 0
    """Sentences held out for dev."""
    test: Count = 0
    """Sentences held out for test."""
    from_each: Positive = 1
    """Largest number of them from one stretch of `document` lines."""


class Selection(Settings):
    """Which sentences are taken; each once, compared by its lower-cased letters and digits.

    Letters must be Latin; typographic quotation marks and dashes become plain ones.
    """

    sources: Annotated[Several[TextSource], Field(min_length=1)]
    """List of sources, in order."""
    test_sets: Several[str] = ()
    """Files below `data` of which no sentence is taken: text, tables, CoNLL, trees, XML."""
    shortest: Positive = 3
    """Shortest sentence, in words."""
    longest: Positive = 60
    """Longest sentence, in words."""
    sentences: Positive | None = None
    """Largest number of training sentences: the first of a random order."""
    seed: Count = 1
    """Seed of order and held-out text."""

    @model_validator(mode="after")
    def _possible(self) -> "Selection":
        require(
            self.shortest <= self.longest,
            f"no sentence has {self.shortest} to {self.longest} words; mend shortest and longest",
        )
        return self


class ParallelText(Settings):
    """How the text of a parallel corpus is made."""

    source: Language
    """Code of the source language"""
    target: Language
    """Code of the target language"""
    sources: Several[Any]
    """Sources of text"""
    tokenisation: Literal["none", "moses"]
    """`none` or `moses`"""
    cleaning: Any = None
    """Rules of cleaning"""
    splits: Any = None
    """Shares of dev and test"""
    limit: Positive | None = None
    """Largest number of training pairs"""
