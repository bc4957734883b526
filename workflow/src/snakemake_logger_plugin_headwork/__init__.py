"""Snakemake's logger plugin ``headwork`` (option --logger): Snakemake knows plugins by the names of their packages."""

from headwork.run.closing import ClosingReport as LogHandler

__all__ = ["LogHandler"]
