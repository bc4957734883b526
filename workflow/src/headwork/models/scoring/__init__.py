"""Translations, predictions and their scores."""
