"""The one place where attention is seen or changed, on any model."""
