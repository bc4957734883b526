"""The head atlas.

[docs/atlas.md](../atlas.md) describes the page. The keys below are given on the command line,
`snakemake atlas --config model=... text=...`.
"""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from headwork.settings.base import Count, Positive, Settings, require


def _formed(pattern: str, form: str) -> AfterValidator:
    """The check that a text has a form."""

    def check(value: str) -> str:
        require(re.fullmatch(pattern, value) is not None, f"it is {value!r}; write {form}")
        return value

    return AfterValidator(check)


NOTE = "model.txt"  # beside a page: which model it is of
FilePair = Annotated[str, _formed(r"[^,]+,[^,]+", "source.txt,target.txt")]
TaskFolder = Annotated[str, _formed(r"[^:]+:.+", "TASK:FOLDER, such as sst-2:data/SST-2")]
PageName = Annotated[
    str,
    _formed(r"\w[\w.-]*", "a letter or digit, then letters, digits, dots, hyphens and underscores"),
]


class AtlasRequest(Settings):
    """What an atlas is of: keys of the command line, in ``headwork atlas`` and ``snakemake atlas --config``."""

    model: str | None = None
    """A folder, a name on the hub, or `package:NAME==VERSION`."""
    text: str | None = None
    """A file with one sentence per line, plain or compressed, or CoNLL-U with trees; none: synthetic English with gold
    trees."""
    pair: FilePair | None = None
    """`source.txt,target.txt`: line-aligned text for a translation model."""
    task: TaskFolder | None = None
    """`sst-2:folder`: a GLUE task, on whose dev set a classifier is measured."""
    parser: str | None = None
    """Trees of the text, or of the source of a pair: a CoNLL-U file, or `stanza:folder` with Stanza's models."""
    compare: str | None = None
    """A second model of the same shape and tokenizer."""
    examples: str | None = None
    """A file (`source.txt,target.txt` for a pair) of other sentences whose maps are shown, such as sentences that may
    be published where the text may not."""
    source_language: str | None = None
    """Language of the source, as the tokenizer of a multilingual translation model calls it: `eng_Latn`, `en_XX`."""
    target_language: str | None = None
    """Language of the translations of a `pair`, likewise."""
    name: PageName | None = None
    """Name of the model on the page, and of its folder in results/atlas; none: the model's own name."""

    @property
    def place(self) -> str:
        """What tells models of one name apart: the whole path of a folder, or the name that was given."""
        return (
            str(Path(self.model).resolve()) if self.model and Path(self.model).is_dir() else str(self.model)
        )


class AtlasSettings(Settings):
    """Sizes of the samples."""

    sentences: Positive = 500
    """Largest number of sentences measured; a longer text is sampled at random."""
    gradients: Positive = 48
    """Sentences for gradients and relevance."""
    removed: Positive = 12
    """Sentences for head ablation."""
    shown: Positive = 6
    """Sentences whose maps the page shows."""
    shortest: Count = 8
    """Least number of subword tokens of these."""
    longest: Positive = 24
    """Largest number of subword tokens of these."""
    seed: Count = 0
    """Seed of the samples and of the masked tokens."""
