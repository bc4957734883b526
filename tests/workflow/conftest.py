"""What the tests of the workflow share: clones of the checkout."""

from clones import clone, smoke_clone

__all__ = ["clone", "smoke_clone"]
