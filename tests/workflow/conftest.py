"""What the tests of the workflow share: clones of the checkout."""

from clones import clone, listed, smoke_clone

__all__ = ["clone", "listed", "smoke_clone"]
