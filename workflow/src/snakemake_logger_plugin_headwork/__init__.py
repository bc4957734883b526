"""Snakemake's logger plugin ``headwork`` (option --logger): Snakemake knows plugins by the names of their packages."""

from snakemake_interface_logger_plugins.base import LogHandlerBase

from headwork.run.closing import ClosingReport


class LogHandler(ClosingReport, LogHandlerBase):
    """`ClosingReport`, also where the headwork on the path is an older one, whose report is no plugin: Snakemake loads
    all plugins of an environment, used or not, and stops at one that is none.
    """
