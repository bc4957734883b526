"""Adversarial triggers: the tokens with the highest attribution, inserted into other texts (Hao et al. 2021, section
6).

Of each text the head, in whichever layer, whose map has the largest entry; of this map the two largest entries; a
trigger is the subword tokens of the first, and those of the second if it is not much smaller. Each is remembered with
its part of the text and its relative place there, and is set into other texts at the same place:

    place = round((n + k) · p)      n pieces in the part, k pieces set into it, p = place / length where it was found

Entries between special tokens ([CLS], [SEP]) give no token to insert and are skipped. The maps are attributions or, as
a control, attention weights; a second control inserts random tokens of similar frequency at the same positions.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

AllHeads = Float[np.ndarray, "head query key"]
Pieces = Sequence[int] | np.ndarray


class Trigger(NamedTuple):
    """Token ids, the part of the text (0, 1) and relative position of each, and the sum of the entries."""

    pieces: tuple[int, ...]
    parts: tuple[int, ...]
    places: tuple[float, ...]
    score: float


class Parts(NamedTuple):
    """A text's tokens without special tokens, and the position at which each of its one or two parts begins."""

    pieces: list[list[int]]
    starts: list[int]


def parts_of(pieces: Pieces, second: int) -> Parts:
    """Of ``[CLS] A [SEP]`` or ``[CLS] A [SEP] B [SEP]``, whose second part begins at `second`, or at its end.

    There may be more than one [SEP] between the two, as in ``<s> A </s></s> B </s>``.
    """
    pieces = list(map(int, pieces))
    if second >= len(pieces):
        return Parts([pieces[1:-1]], [1])
    end = second - 1
    while end > 1 and pieces[end - 1] == pieces[-1]:
        end -= 1
    return Parts([pieces[1:end], pieces[second:-1]], [1, second])


def trigger_of(
    maps: AllHeads, pieces: Pieces, second: int, special: Collection[int], share: float = 0.2
) -> Trigger | None:
    """The trigger in one text, without padding, from the maps of all its heads; None if no entry is positive.

    With ties the first entry is used.
    """
    ordinary = np.array([int(piece) not in special for piece in pieces])
    maps = np.where(ordinary[:, None] | ordinary[None, :], maps, -np.inf)
    own = maps[int(maps.max(axis=(1, 2)).argmax())].ravel()
    first, other = (int(place) for place in np.argsort(-own, kind="stable")[:2])
    if not own[first] > 0:
        return None
    entries = [first, other] if own[other] >= share * own[first] else [first]
    length = len(pieces)
    places = sorted({place for entry in entries for place in divmod(entry, length) if ordinary[place]})
    parts, found = parts_of(pieces, second), []
    for place in places:
        part = int(len(parts.starts) > 1 and place >= parts.starts[1])
        inside = (place - parts.starts[part]) / len(parts.pieces[part])
        found.append((int(pieces[place]), part, inside))
    return Trigger(*zip(*found, strict=True), float(own[first] + max(own[other], 0)))


def inserted(pieces: Pieces, second: int, trigger: Trigger, longest: int) -> tuple[np.ndarray, int]:
    """The text with the trigger in it, and where its second part now begins.

    A text that becomes too long is truncated at the ends of its parts, the longer part first; the trigger is kept.
    """
    own, pieces = parts_of(pieces, second), list(map(int, pieces))
    wanted: list[list[tuple[int, float]]] = [[] for _ in own.pieces]
    for piece, part, place in zip(trigger.pieces, trigger.parts, trigger.places, strict=True):
        wanted[min(part, len(wanted) - 1)].append((piece, place))
    room = longest - (len(pieces) - sum(map(len, own.pieces))) - len(trigger.pieces)
    kept = [list(part) for part in own.pieces]
    while sum(map(len, kept)) > max(room, 0):
        max(kept, key=len).pop()
    filled = [_filled(part, new) for part, new in zip(kept, wanted, strict=True)]
    text, ends = [pieces[0]], []
    for part, new, start, end in zip(
        own.pieces, filled, own.starts, [*own.starts[1:], len(pieces)], strict=True
    ):
        text += [*new, *pieces[start + len(part) : end]]  # and the marks behind it
        ends.append(len(text))
    return np.array(text), ends[0]


def _filled(part: Sequence[int], new: Sequence[tuple[int, float]]) -> list[int]:
    """Insert tokens into one part at their relative positions; a token at an occupied position is placed after it."""
    length = len(part) + len(new)
    taken: dict[int, int] = {}
    for piece, place in new:
        wanted = min(round(length * place), length - 1)
        free = [spot for spot in (*range(wanted, length), *range(wanted)) if spot not in taken]
        taken[free[0]] = piece
    rest = iter(part)
    return [taken[spot] if spot in taken else next(rest) for spot in range(length)]


def of_chance(
    trigger: Trigger, frequencies: Mapping[int, int], chance: np.random.Generator, near: int = 10
) -> Trigger:
    """Replace each token by a random one within `near` frequency ranks, at the same positions."""
    ranked = sorted(frequencies, key=lambda piece: (frequencies[piece], piece))
    ranks = {piece: rank for rank, piece in enumerate(ranked)}
    drawn = []
    for piece in trigger.pieces:
        rank = ranks[piece]
        others = [other for other in ranked[max(0, rank - near) : rank + near + 1] if other != piece]
        drawn.append(int(chance.choice(others)) if others else piece)
    return trigger._replace(pieces=tuple(drawn), score=0.0)


def distinct(triggers: Sequence[Trigger], number: int, least: float = 0.0) -> list[Trigger]:
    """Return the best triggers with a score of at least `least`, each set of tokens once, at most `number`."""
    best: dict[tuple, Trigger] = {}
    for trigger in sorted(triggers, key=lambda one: -one.score):
        if trigger.score >= least:
            best.setdefault((trigger.pieces, trigger.parts), trigger)
    return list(best.values())[:number]
