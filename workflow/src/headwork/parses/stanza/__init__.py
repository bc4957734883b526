"""Parsing with stanza."""
