"""Heads and coreference (Clark et al. 2019)."""
