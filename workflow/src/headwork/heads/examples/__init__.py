"""Attention maps of a few texts, for figures."""
