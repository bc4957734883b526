"""Pairs of subtitles with overlapping times (Voita et al. 2019, section 2: overlap of at least 0.9).

OPUS gives the time overlap of each link between sentences in the XML of its alignments (`<link xtargets="5;6 7"
overlap="0.93"/>`); the line-aligned text has no times, but a third file, `.ids`, gives the documents and sentences of
each line. Both have the same order; the XML also has links with an empty side.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import ParseError, iterparse

from headwork.corpora.sources import readers
from headwork.corpora.sources.locations import Fetched
from headwork.corpora.sources.pairs import Pair
from headwork.errors import InputError
from headwork.settings.corpora import Overlap

Stream = Callable[[], Iterator[Pair]]


class Link(NamedTuple):
    """Two documents, the sentences of both (as OPUS writes them: ids with spaces between), and their overlap."""

    documents: tuple[str, str]
    sentences: tuple[str, str]
    overlap: float


def files_of(overlap: Overlap, fetched: Fetched) -> list[Path]:
    """Where ids and links lie."""
    return [fetched.file(named.download, named.member) for named in (overlap.ids, overlap.links)]


def of_streams(streams: Sequence[Stream], overlap: Overlap, fetched: Fetched) -> Stream:
    """The pairs of all streams whose sentences overlap long enough."""
    ids, links = files_of(overlap, fetched)

    def overlapping() -> Iterator[Pair]:
        pairs = chain.from_iterable(stream() for stream in streams)
        return at_least(pairs, ids, links, overlap.at_least)

    return overlapping


def at_least(pairs: Iterator[Pair], ids: Path, links: Path, share: float) -> Iterator[Pair]:
    """The pairs with an overlap of that share or more. `ids` is a table, a line a pair; `links` OPUS's XML.

    Raises `InputError` if there are more ids than pairs or fewer, or a pair has no link.
    """
    found = of_links(links)
    for number, (pair, line) in enumerate(zip_longest(pairs, readers.lines(ids)), 1):
        if pair is None or line is None:
            raise InputError.at(
                ids,
                "the file does not have one line for each pair of the text; take both from one archive",
                number,
            )
        cells = line.text.split("\t")
        if len(cells) != 4:
            raise InputError.at(
                ids, f"{len(cells)} columns where there are four: documents, sentences", line.line
            )
        wanted = ((cells[0], cells[1]), (cells[2], cells[3]))
        link = next((link for link in found if (link.documents, link.sentences) == wanted), None)
        if link is None:
            raise InputError.at(
                ids, f"no link of {cells[0]} and {cells[1]}, {cells[2]};{cells[3]}, in {links}, or not in this order",
                line.line,
            )  # fmt: skip
        if link.overlap >= share:
            yield pair


def of_links(path: Path) -> Iterator[Link]:
    """The links of an alignment of OPUS, in their order, plain or with .gz. `InputError` if it is damaged."""
    opener = gzip.open if path.suffix == ".gz" else open
    documents = ("", "")
    try:
        with opener(path, "rb") as file:
            for event, element in iterparse(file, events=("start", "end")):
                if event == "start" and element.tag == "linkGrp":
                    documents = (element.attrib["fromDoc"], element.attrib["toDoc"])
                elif event == "start" and element.tag == "link":
                    ours, _, theirs = element.attrib["xtargets"].partition(";")
                    yield Link(documents, (ours, theirs), float(element.get("overlap", 0)))
                elif event == "end":
                    element.clear()  # otherwise memory would hold 26 million links
    except (ParseError, EOFError, OSError, KeyError, ValueError) as error:
        raise InputError.at(
            path, f"the file is not an OPUS alignment, or is damaged ({error}); fetch it again"
        ) from error
