"""Interim: only what `representations` takes from the settings of heads."""

from typing import Literal

from headwork.settings.base import Settings


class PlaceSettings(Settings):
    """Arg-max positions."""

    average: Literal["sentences", "tokens"] = "sentences"
    """Mean over `sentences` first, or over `tokens`."""
