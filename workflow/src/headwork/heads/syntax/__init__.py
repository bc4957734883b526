"""Heads and dependency relations."""
