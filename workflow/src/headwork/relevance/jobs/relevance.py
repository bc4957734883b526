"""One run's relevance, from its checkpoint and the analysis text to results/relevance/<run>.parquet."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.parallel.tokenisation import tokeniser
from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch, texts, translation_batches
from headwork.models.loading.checkpoints import load
from headwork.relevance.propagation.lrp import LRPSettings, head_relevance
from headwork.run.outputs import write_table
from headwork.settings.options import options, require
from headwork.sites import KINDS

log = logging.getLogger(__name__)

PREFIXES = ("reference", "hypothesis")


@dataclass(frozen=True)
class RelevanceSettings:
    """The config's part `relevance`: whose relevance, for which predictions, and how it is carried.

    `split` and `sentences` (None: all): the text. `tokens`: of a batch on either side, padding included; memory grows
    with this times the length of a sentence. `kinds`: which attentions. `prefix`: what the decoder reads before each
    step, the reference or the model's own translation; the paper does not say which.
    """

    split: str = "dev"
    sentences: int | None = None
    tokens: int = 400
    kinds: tuple[str, ...] = KINDS
    prefix: str = "reference"
    lrp: LRPSettings = field(default_factory=LRPSettings)

    def __post_init__(self) -> None:
        require(self.tokens > 0, f"relevance: tokens is {self.tokens}; it must be 1 or more")
        for kind in self.kinds:
            require(kind in KINDS, f"relevance: there are no {kind!r} heads; kinds are {', '.join(KINDS)}")
        require(
            self.prefix in PREFIXES,
            f"relevance: prefix is '{self.prefix}'; it must be one of {', '.join(PREFIXES)}",
        )


def relevance_run(
    model_folder: str | Path,
    source: str | Path,
    target: str | Path,
    settings: Mapping[str, Any],
    *,
    table_path: str | Path,
    hypotheses: str | Path | None = None,
    corpus: Mapping[str, Any] | None = None,
    device: str = "cpu",
) -> None:
    """Measure the relevance of every head of one trained translation model and write the table.

    `source` and `target` are line-aligned text in words. With the prefix `hypothesis` the model reads `hypotheses`,
    its translations of `source` as running text (translations.<split>.txt), in the target's place; the corpus's part
    of the config (target, tokenisation) says how they are made words. Raises InputError for what the user can mend.
    """
    chosen = options(RelevanceSettings, settings, "relevance")
    model, tokenizer = load(model_folder)
    model.to(device)
    to_words = _unchanged
    if chosen.prefix == "hypothesis":
        if hypotheses is None or corpus is None:
            raise InputError(
                "relevance: prefix is hypothesis, but no translations are given; translate first"
            )
        target = hypotheses
        to_words = tokeniser(corpus.get("tokenisation", "none"), corpus["target"])
    batches = pair_batches(model, tokenizer, source, target, to_words, chosen)
    table = head_relevance(model, batches, chosen.lrp, kinds=chosen.kinds, progress="relevance")
    write_table(table_path, table)


def _unchanged(text: str) -> str:
    return text


def pair_batches(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    source: str | Path,
    target: str | Path,
    to_words: Callable[[str], str],
    settings: RelevanceSettings,
) -> list[Batch]:
    """The pairs as batches; those with an empty side or longer than the model's positions are left out."""
    sources, targets = (
        [segment.text for segment in islice(lines(Path(path)), settings.sentences)]
        for path in (source, target)
    )
    if len(sources) != len(targets):
        raise InputError(
            f"{source} has {len(sources)} lines and {target} has {len(targets)}; line-aligned text has as many"
        )
    words = [(one, to_words(other)) for one, other in zip(sources, targets, strict=True) if one and other]
    sides = [
        list(texts(side, tokenizer, name=str(path)))
        for side, path in zip(zip(*words, strict=True), (source, target), strict=False)
    ]
    longest = model.config.max_position_embeddings
    pairs = [pair for pair in zip(*sides, strict=True) if max(map(len, pair)) <= longest]
    if not pairs:
        raise InputError.at(source, f"no pair of sentences of at most {longest} pieces a side")
    if left_out := len(sources) - len(pairs):
        log.info("%s: %d pairs left out: empty, or over %d pieces", source, left_out, longest)
    start = model.config.decoder_start_token_id
    return translation_batches(
        *map(list, zip(*pairs, strict=True)), tokenizer.pad_token_id, start, settings.tokens
    )
