"""Interim: only what `representations` takes from the settings of corpora."""

from typing import Literal

from headwork.settings.base import Settings

Split = Literal["train", "dev", "test"]


class DownloadedFile(Settings):
    """A file that is downloaded, or a member of an archive that is."""

    download: str
    """Id in `downloads`."""
    member: str | None = None
    """The file inside the archive."""
