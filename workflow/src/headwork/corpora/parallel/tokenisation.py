"""Tokenisation and detokenisation by Moses' rules (sacremoses), or none.

Text that is tokenised already, as the miniature world's, has the tokenisation `none`. Entities are not
escaped: `&` stays `&`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import islice
from typing import NamedTuple

from headwork.corpora.sources.pairs import Pair

CHUNK = 2_000


class Tokenised(NamedTuple):
    """A pair, its two sides in words with one space between them."""

    pair: Pair
    source: str
    target: str


def tokeniser(name: str, language: str) -> Callable[[str], str]:
    """Running text to words with one space between them; `name` is moses or none.

    Moses' rules know the abbreviations of some thirty languages and take English's for others.
    """
    if name == "none":
        return str
    from sacremoses import MosesTokenizer

    moses = MosesTokenizer(lang=language)
    # split and join again: after a closing quotation mark it leaves a space at the end
    return lambda text: " ".join(moses.tokenize(text, escape=False, return_str=True).split())


def detokeniser(name: str, language: str) -> Callable[[str], str]:
    """Words with spaces between them to running text, as a reference has it."""
    if name == "none":
        return str
    from sacremoses import MosesDetokenizer

    moses = MosesDetokenizer(lang=language)
    return lambda text: moses.detokenize(text.split(" "), unescape=False)


def tokenised(
    pairs: Iterable[Pair], name: str, source: str, target: str, processes: int = 1
) -> Iterator[Tokenised]:
    """The pairs in their order with both sides tokenised, for languages `source` and `target`.

    Moses' rules take 0.1 ms a line; with several `processes`, chunks of pairs go to a pool, a few at a time,
    so that memory stays flat.
    """
    if name == "none":
        for pair in pairs:
            yield Tokenised(pair, pair.source, pair.target)
    elif processes == 1:
        for chunk in _chunks(pairs):
            yield from _chunk(chunk, name, source, target)
    else:
        with ProcessPoolExecutor(processes) as pool:
            waiting: deque[Future[list[Tokenised]]] = deque()
            for chunk in _chunks(pairs):
                waiting.append(pool.submit(_chunk, chunk, name, source, target))
                if len(waiting) > 2 * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()


def _chunks(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, ...]]:
    rest = iter(pairs)
    while chunk := tuple(islice(rest, CHUNK)):
        yield chunk


# once a process: the rules are compiled again for every MosesTokenizer
_tokeniser = cache(tokeniser)


def _chunk(pairs: tuple[Pair, ...], name: str, source: str, target: str) -> list[Tokenised]:
    of_source, of_target = _tokeniser(name, source), _tokeniser(name, target)
    return [Tokenised(pair, of_source(pair.source), of_target(pair.target)) for pair in pairs]
