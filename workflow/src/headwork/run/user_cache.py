"""The folder of what is kept for all projects of a user: fetched packages, and what was measured of the machine."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def user_cache() -> Path:
    """`headwork` in the user's cache folder, or the folder $HEADWORK_CACHE."""
    own = os.environ.get("HEADWORK_CACHE")
    return Path(own) if own else user_cache_path("headwork")
