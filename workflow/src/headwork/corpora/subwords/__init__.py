"""Subword vocabularies and token frequencies."""
