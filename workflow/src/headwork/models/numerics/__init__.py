"""Precision, and faster operations on a CPU."""
