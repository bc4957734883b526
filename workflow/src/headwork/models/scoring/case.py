"""Whether case counts when a model's translations are scored."""

from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedTokenizerBase

from headwork.settings.models import Scoring, Translation


def scoring_of(
    tokenizer: PreTrainedTokenizerBase, settings: Translation | Mapping[str, Any] | None = None
) -> Scoring | dict[str, Any]:
    """The `Scoring` of a model's translations in its `settings`; case does not count if its tokenizer lowers it."""
    normaliser = tokenizer.backend_tokenizer.normalizer
    lowercase = normaliser is not None and normaliser.normalize_str("A") == "a"
    if isinstance(settings, Translation):
        known = "lowercase" in settings.scoring.model_fields_set
        return settings.scoring if known else settings.scoring.model_copy(update={"lowercase": lowercase})
    return {"lowercase": lowercase, **((settings or {}).get("scoring") or {})}
