"""Dependency trees of the source sentences, and the map between words and subword tokens."""
