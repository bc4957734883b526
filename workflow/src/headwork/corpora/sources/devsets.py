"""Development and test sets of the WMT shared tasks: SGML (one side a file) and XML (both sides in one).

SGML until 2020: `<srcset srclang="en"><doc docid="..."><seg id="1">...</seg>`, and `<refset>` in a file of
its own. XML since 2021: `<doc><src lang="en"><p><seg id="1">` and `<ref lang="ru" translator="A">` beside it.
SGML is not well-formed XML (bare ampersands, unclosed tags), so both are read by Python's tolerant parser.
"""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from headwork.corpora.sources.readers import Segment, lines
from headwork.errors import InputError

SIDES = {"src": "src", "srcset": "src", "ref": "ref", "refset": "ref"}


class Found(NamedTuple):
    """A segment with its side (src, ref), language, document number, and id in the document."""

    side: str
    language: str
    document: int
    id: str
    segment: Segment


class _Segments(HTMLParser):
    """Collects segments; of several references of a document, in one language, the first is taken.

    Documents of a test suite (`<doc testsuite=...>`, since 2022) have no reference, and are left out, as by sacreBLEU.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Found] = []
        self.side = self.language = self.id = ""
        self.document = self.start = 0
        self.testsuite = False
        self.text: list[str] | None = None
        self.references: set[tuple[int, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "doc":
            self.document += 1
            self.testsuite = "testsuite" in values
        elif tag in SIDES:
            self.side = SIDES[tag]
            named = ("lang",) if tag in ("src", "ref") else ("srclang",) if tag == "srcset" else ("trglang",)
            self.language = next((values[name] or "" for name in named if name in values), "")
            if tag == "ref":
                self._skip_further_reference()
        elif tag == "seg":
            self.text, self.start, self.id = [], self.getpos()[0], values.get("id") or ""

    def _skip_further_reference(self) -> None:
        key = (self.document, self.language)
        self.side = "" if key in self.references else "ref"
        self.references.add(key)

    def handle_endtag(self, tag: str) -> None:
        if tag == "seg" and self.text is not None:
            if self.side and not self.testsuite:
                segment = Segment(self.start, " ".join("".join(self.text).split()))
                self.found.append(Found(self.side, self.language, self.document, self.id, segment))
            self.text = None
        elif tag in SIDES:
            self.side = ""  # what follows, until the next side begins, is a system's

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)


def _read(path: Path) -> list[Found]:
    parser = _Segments()
    for line in lines(path):
        parser.feed(line.text + "\n")
    parser.close()
    if parser.text is not None:
        raise InputError.at(path, "the file ends inside a segment; fetch it again", parser.start)
    if not parser.found:
        raise InputError.at(
            path, "the file has no <seg> inside a <srcset>, <refset>, <src> or <ref>; give a WMT set"
        )
    return parser.found


def one_side(path: Path) -> Iterator[Segment]:
    """The segments of an SGML file, source or reference, in their order."""
    for found in _read(path):
        yield found.segment


def both_sides(path: Path, source: str, target: str) -> Iterator[tuple[int, str, str]]:
    """(line, source, target) of an XML set; `InputError` if a source segment has no reference."""
    found = _read(path)
    references = {
        (at.document, at.id): at.segment.text for at in found if (at.side, at.language) == ("ref", target)
    }
    sources = [at for at in found if (at.side, at.language) == ("src", source)]
    if not sources or not references:
        present = ", ".join(sorted({f"{at.side} {at.language}" for at in found}))
        raise InputError.at(path, f"no src in '{source}' with a ref in '{target}'; the file has {present}")
    for at in sources:
        if (at.document, at.id) not in references:
            message = f"segment {at.id} has no reference in '{target}'; fetch the file again"
            raise InputError.at(path, message, at.segment.line)
        yield at.segment.line, at.segment.text, references[at.document, at.id]
