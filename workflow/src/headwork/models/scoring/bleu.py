"""Translations against references: sacreBLEU with its signature and a bootstrap interval.

Two scores, since the papers do not specify theirs: BLEU of running text, tokenised by sacreBLEU, and BLEU of
lower-cased words as in the model's text, as in the code of Voita et al. 2019.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF
from transformers import PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.settings.models import Scoring, Translation


class ChrF(CHRF):
    """chrF whose resamples are of one type: sacreBLEU's own cannot be averaged if one of them has no match at all."""

    def _compute_f_score(self, statistics: Any) -> Any:
        found = super()._compute_f_score(statistics)
        return statistics.dtype.type(found) if isinstance(statistics, np.ndarray) else found


def score(
    hypotheses: Sequence[str],
    references: Sequence[str],
    settings: Scoring | Mapping[str, Any] | None = None,
    tokenised: tuple[Sequence[str], Sequence[str]] | None = None,
) -> dict[str, Any]:
    """BLEU of running text with its 95 % bootstrap interval `low` to `high`, signature, and share of exact hits.

    `tokenised` has hypotheses and references in words; with it `tokenised_lowercased` is given too. The interval
    lies around the mean of the resamples, within 0 and 100. Raises `InputError` for unequal or no sentences and unknown
    settings.
    """
    how = Scoring.read(settings, "scoring")
    for ours, theirs in (hypotheses, references), *([tokenised] if tokenised else []):
        if len(ours) != len(theirs) or not ours:
            raise InputError(f"{len(ours)} translations cannot be scored against {len(theirs)} references")
    # `force`: no warning on text that is tokenised on purpose
    bleu = BLEU(tokenize=how.tokenize, lowercase=how.lowercase, force=how.tokenize == "none")
    result = {
        **_figure("bleu", bleu, hypotheses, references, how),
        "sentences": len(references),
        "exact": sum(map(_same if how.lowercase else str.__eq__, hypotheses, references)) / len(references),
    }
    if tokenised is not None:
        plain = BLEU(tokenize="none", lowercase=True, force=True)
        result["tokenised_lowercased"] = _figure("bleu", plain, *tokenised, how)
    if how.chrf:
        result["chrf"] = _figure("chrf", ChrF(lowercase=how.lowercase), hypotheses, references, how)
    return result


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


def _same(ours: str, theirs: str) -> bool:
    return ours.lower() == theirs.lower()


def _figure(
    name: str, metric: BLEU | CHRF, hypotheses: Sequence[str], references: Sequence[str], how: Scoring
) -> dict[str, Any]:
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(how.seed)  # sacreBLEU reads it only from the environment
    try:
        found = metric.corpus_score(list(hypotheses), [list(references)], n_bootstrap=how.resamples)
    finally:
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
    signature = metric.get_signature().format()
    shown = json.loads(found.format(width=4, is_json=True, signature=signature))
    # sacreBLEU gives no interval around 0
    mean, half = shown.get("confidence_mean", 0.0), shown.get("confidence_var", 0.0)
    return {
        name: round(found.score, 4),
        "low": round(max(mean - half, 0.0), 4),
        "high": round(min(mean + half, 100.0), 4),
        "signature": signature,
    }
