"""Preparation of a parallel corpus from its sources."""
