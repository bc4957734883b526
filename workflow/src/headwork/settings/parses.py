"""Dependency trees, treebanks, and Stanza's parsers."""

from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from pydantic import model_validator

from headwork.errors import InputError
from headwork.settings.base import Positive, Settings, Several, require
from headwork.settings.corpora import DownloadedFile

# The 37 of Universal Dependencies 2; https://universaldependencies.org/u/dep/
_UNIVERSAL = """
acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed flat
goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
"""
UNIVERSAL = frozenset(_UNIVERSAL.split())
# Names of these relations in Stanford Dependencies and UD 1, and in the papers.
ALIASES = {"dobj": "obj", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass"}


def main_label(deprel: str | None) -> str | None:
    """``nsubj`` of ``nsubj:pass``."""
    return deprel.split(":", 1)[0] if deprel else deprel


class Relations(Settings):
    """The dependency relations of interest. Subtypes that are not named (`nsubj:outer`) count as their main label."""

    names: Several[str] = ("nsubj", "obj", "amod", "advmod")
    """Dependency relations, by main label or with a subtype."""
    excluded: Several[str] = ("nsubj:pass",)
    """Labels that are ignored, named or not."""
    aliases: dict[str, str] = ALIASES
    """Labels to rename first, such as Stanford's `dobj` to `obj`."""

    @model_validator(mode="after")
    def _of_universal_dependencies(self) -> "Relations":
        for name in (*self.names, *self.excluded):
            if main_label(self.aliases.get(name, name)) not in UNIVERSAL:
                meant = get_close_matches(name, sorted(UNIVERSAL), n=1)
                hint = f"did you mean '{meant[0]}'?" if meant else "see universaldependencies.org/u/dep"
                raise InputError(f"relation '{name}' is not a relation of Universal Dependencies; {hint}")
        return self

    @cached_property
    def _named(self) -> set[str]:
        return {self.aliases.get(name, name) for name in self.names}

    @cached_property
    def _excluded(self) -> set[str]:
        return {self.aliases.get(name, name) for name in self.excluded}

    def label(self, deprel: str | None) -> str | None:
        """The relation of interest that a word's `deprel` is; None if it is another."""
        full = self.aliases.get(deprel, deprel)
        if full is None or full in self._excluded:
            return None
        return next((label for label in (full, main_label(full)) if label in self._named), None)


class Treebank(Settings):
    """The trees that a parser is trained on; they must not contain the text that heads are measured on."""

    type: Literal["embedded", "local"]
    """Gold trees of the miniature world (`embedded`), or CoNLL-U files (`local`)."""
    train: str | DownloadedFile | None = None
    """`local`: the file to train on, below `data`, or `{download, member}`."""
    dev: str | DownloadedFile | None = None
    """`local`: the file to select the best step on."""
    sentences: Positive | None = None
    """Largest number of sentences to train on."""
    dev_sentences: Positive | None = None
    """Largest number of sentences to select the best step on."""

    @model_validator(mode="after")
    def _files_of_a_local_one(self) -> "Treebank":
        for key in ("train", "dev") if self.type == "local" else ():
            require(getattr(self, key) is not None, f"a local treebank needs '{key}'; add it")
        return self


class PublishedParser(Settings):
    """Models that stanza distributes."""

    language: str
    """Stanza's name of the language."""
    package: str
    """Stanza's name of the package."""


class Parser(Settings):
    """Stanza's tagger and parser. Give one of `treebank`, `folder` and `published`."""

    treebank: Treebank | None = None
    """Treebank to train on."""
    folder: str | None = None
    """A folder with stanza's models."""
    published: PublishedParser | None = None
    """Models distributed by stanza, to be downloaded."""
    tagger: dict[str, Any] | None = None
    """Stanza's own settings of its tagger, needed with a treebank; what its options turn off is false or null here."""
    parser: dict[str, Any] | None = None
    """Stanza's own settings of its parser, needed with a treebank."""
    tags: Literal["gold", "predicted"] = "gold"
    """The tags that the parser is trained on."""
    seed: int = 1234
    """Seed of both."""

    @model_validator(mode="after")
    def _made_in_some_way(self) -> "Parser":
        made = {"treebank", "folder", "published"} & {key for key, value in self if value is not None}
        require(bool(made), "it needs one of the keys 'treebank', 'folder' or 'published'")
        for key in ("tagger", "parser") if self.treebank else ():
            require(getattr(self, key) is not None, f"with a treebank it needs '{key}'; add it")
        return self
