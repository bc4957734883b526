"""One run's relevance, from its checkpoint and the analysis text to results/relevance/<run>.parquet."""

import logging
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.parallel.tokenisation import tokeniser
from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch, texts, translation_batches
from headwork.models.loading.checkpoints import load
from headwork.models.loading.kinds import decoder_start
from headwork.relevance.propagation.lrp import head_relevance
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.corpora import ParallelText
from headwork.settings.relevance import RelevanceSettings

log = logging.getLogger(__name__)


def relevance_run(
    input: Files,
    output: Files,
    settings: RelevanceSettings,
    corpus: ParallelText,
    device: str = "cpu",
) -> None:
    """Measure the relevance of every head of one trained translation model.

    Input: model (its files), source and target (line-aligned text in words) and, with the prefix `hypothesis`,
    hypotheses: the model's translations of the source as running text, which it reads in the target's place; the
    corpus's part of the config (target, tokenisation) says how they are made words. Output: table (parquet, see
    `head_relevance`). Raises InputError for what the user can mend.
    """
    model, tokenizer = load(folder_of(input.model))
    model.to(device)
    target, to_words = input.target, _unchanged
    if settings.prefix == "hypothesis":
        target = input.hypotheses
        to_words = tokeniser(corpus.tokenisation, corpus.target)
    text = input.source, target
    batches = pair_batches(model, tokenizer, text, settings.sentences, settings.tokens, to_words)
    table = head_relevance(model, batches, settings.lrp, kinds=settings.kinds, progress="relevance")
    write_table(output.table, table)


def _unchanged(text: str) -> str:
    return text


def pair_batches(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    text: tuple[Path, Path],
    sentences: int | None,
    tokens: int,
    to_words: Callable[[str], str],
) -> list[Batch]:
    """The first pairs of a source and a target text in batches of at most `tokens` tokens a side.

    `to_words` is applied to the target. Pairs with an empty side or longer than the model's positions are left out.
    """
    source, target = text
    sources, targets = ([segment.text for segment in islice(lines(path), sentences)] for path in text)
    if len(sources) != len(targets):
        raise InputError(
            f"{source} has {len(sources)} lines and {target} has {len(targets)}; line-aligned text has as many"
        )
    words = [(one, to_words(other)) for one, other in zip(sources, targets, strict=True) if one and other]
    sides = [
        list(texts(side, tokenizer, name=str(path), target=is_target))
        for side, path, is_target in zip(zip(*words, strict=True), text, (False, True), strict=False)
    ]
    longest = model.config.max_position_embeddings
    pairs = [pair for pair in zip(*sides, strict=True) if max(map(len, pair)) <= longest]
    if not pairs:
        raise InputError.at(source, f"no pair of sentences of at most {longest} pieces a side")
    if left_out := len(sources) - len(pairs):
        log.info("%s: %d pairs left out: empty, or over %d pieces", source, left_out, longest)
    start = decoder_start(model)
    return translation_batches(*map(list, zip(*pairs, strict=True)), tokenizer.pad_token_id, start, tokens)
