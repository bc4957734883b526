"""Settings of models."""

from typing import Annotated

from pydantic import Field, model_validator

from headwork.settings.base import Count, Settings, Share, require


class MaskingSettings(Settings):
    """Masking of tokens as in BERT's pretraining."""

    share: Annotated[float, Field(gt=0, le=1)] = 0.15
    """Share of tokens to predict, at least one a segment"""
    mask: Share = 0.8
    """Share of these replaced by the mask"""
    random: Share = 0.1
    """Share of these replaced by a random token"""

    @model_validator(mode="after")
    def _of_one_whole(self) -> "MaskingSettings":
        require(
            self.mask + self.random <= 1,
            f"mask ({self.mask}) and random ({self.random}) are shares of one whole",
        )
        return self


class ScoreSettings(Settings):
    """The bootstrap over examples."""

    resamples: Annotated[int, Field(ge=2)] = 1000
    """Number of resamples"""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Confidence of the interval"""
    seed: Count = 12345
    """Random seed"""
