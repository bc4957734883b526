"""Left and right arguments of a CCG category.

A category is a result and its arguments, outermost last: (S\\NP)/NP seeks an NP at the right (/), then an NP at the
left (\\), and is an S. Its left part are the arguments after backslashes, its right part those after slashes.
"""

from typing import NamedTuple

from headwork.errors import InputError


class Parts(NamedTuple):
    """A category's arguments to the left and to the right, nearest to the result first; "" for none."""

    left: str
    right: str


def parts(category: str) -> Parts:
    """The parts of a category. Raises InputError for brackets that do not match."""
    left, right = [], []
    rest = category
    while (place := _outermost(rest)) is not None:
        (left if rest[place] == "\\" else right).append(rest[place + 1 :])
        rest = rest[:place]
        if rest.startswith("(") and _closes(rest) == len(rest) - 1:
            rest = rest[1:-1]
    return Parts(" ".join(reversed(left)), " ".join(reversed(right)))


def _outermost(category: str) -> int | None:
    """Return the position of the last slash outside all brackets, or None."""
    depth, found = 0, None
    for place, character in enumerate(category):
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            break
        if depth == 0 and character in "/\\":
            found = place
    if depth:
        raise InputError(f"the brackets of the category {category!r} do not match; correct the tag")
    return found


def _closes(category: str) -> int:
    """Where the bracket that opens a category closes."""
    depth = 0
    for place, character in enumerate(category):
        depth += (character == "(") - (character == ")")
        if not depth:
            return place
    return -1
