"""Whether case counts when a model's translations are scored."""

from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedTokenizerBase


def scoring_of(
    tokenizer: PreTrainedTokenizerBase, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The `Scoring` of a model's translations in its `settings`; case does not count if its tokenizer lowers it."""
    normaliser = tokenizer.backend_tokenizer.normalizer
    lowercase = normaliser is not None and normaliser.normalize_str("A") == "a"
    return {"lowercase": lowercase, **((settings or {}).get("scoring") or {})}
