"""Paragraphs, their sentences, and segments for encoders."""
