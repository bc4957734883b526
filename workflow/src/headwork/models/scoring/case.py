"""Whether case counts when a model's translations are scored."""

from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedTokenizerBase

from headwork.settings.models import Scoring, Translation


def scoring_of(
    tokenizer: PreTrainedTokenizerBase, settings: Translation | Mapping[str, Any] | None = None
) -> Scoring:
    """The scoring of a model's translations; unless its settings say so, case counts if its tokenizer keeps it."""
    scoring = Translation.read(settings, "translation").scoring
    if "lowercase" in scoring.model_fields_set:
        return scoring
    normaliser = tokenizer.backend_tokenizer.normalizer
    lowercase = normaliser is not None and normaliser.normalize_str("A") == "a"
    return scoring.model_copy(update={"lowercase": lowercase})
