"""Probes, and the controls they must be compared with."""
