"""One run's heads, from its checkpoint and the analysis text to the three files of results/heads."""

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.examples.sentences import examples
from headwork.heads.measures import of_table
from headwork.heads.statistics.confidence import CONFIDENCE
from headwork.heads.statistics.entropy import ENTROPY
from headwork.heads.statistics.functions import Baselines, label
from headwork.heads.statistics.offsets import Offsets
from headwork.heads.statistics.rare import RARE, Frequencies, read_frequencies
from headwork.heads.streaming.batches import Batch, Text, single_batches, texts, translation_batches
from headwork.heads.syntax.directions import STORED
from headwork.heads.syntax.syntactic import Syntactic
from headwork.lens.anatomy import anatomy
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import load
from headwork.models.loading.kinds import decoder_start
from headwork.parses.conllu import read_trees
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.base import require
from headwork.settings.heads import HeadSettings

log = logging.getLogger(__name__)


def measure_run(input: Files, output: Files, settings: HeadSettings, device: str = "cpu") -> None:
    """Measure every head of one trained translation model.

    Reads the folder of the `model`, line-aligned text `source` and `target`, the `trees` of the source (CoNLL-U), and
    `frequencies`, the counts of the training corpus's pieces. Writes

        statistics  (parquet) of every head: kind, layer, head, statistic, key, value, count
        functions   (csv) every head and every function it may have, with score, baseline and verdict
        examples    (json) a few sentences with the maps of every encoder head

    Raises InputError for text, trees and counts that do not belong together.
    """
    model, tokenizer = load(folder_of(input.model))
    model.to(device).eval()
    text = input.source, input.target, input.trees
    batches, sources = analysis_batches(model, tokenizer, *text, settings)
    counts = read_frequencies(input.frequencies, tokenizer)
    statistics, functions = heads_of(model, tokenizer, batches, counts, settings)
    shown = []
    if model.config.is_encoder_decoder:
        encoder, not_among = model.get_encoder(), settings.rare.not_among
        shown = examples(encoder, sources, tokenizer, counts, not_among, settings.examples)
    write_table(output.statistics, statistics)
    write_table(output.functions, functions)
    write_examples(output.examples, shown)


def analysis_batches(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    source: str | Path,
    target: str | Path,
    trees: str | Path,
    settings: HeadSettings,
) -> tuple[list[Batch], list[Text]]:
    """The analysis text as batches for this model, and the source sentences in them, in the text's order.

    A model that is no encoder-decoder reads the source alone. Pairs that are longer than the model's positions are
    left out, and the log says how many.
    """
    most = settings.sentences
    sources = list(texts(islice(_text(source), most), tokenizer, islice(read_trees(trees), most), str(trees)))
    longest = hub.positions(model)
    if not model.config.is_encoder_decoder:
        sources = [text for text in sources if len(text) <= longest]
        kinds = {site.kind for site in anatomy(model).sites}
        require(len(kinds) == 1, f"a {type(model).__name__} reads more than one text")
        causal, padding = Layers(model).causal, tokenizer.pad_token_id
        return single_batches(sources, kinds.pop(), padding, settings.tokens, causal), sources
    targets = list(texts(islice(_text(target), most), tokenizer, name=str(target), target=True))
    if len(sources) != len(targets):
        raise InputError(
            f"{source} has {len(sources)} lines and {target} has {len(targets)}; line-aligned text has as many"
        )
    pairs = [pair for pair in zip(sources, targets, strict=True) if max(map(len, pair)) <= longest]
    if len(pairs) < len(sources):
        log.info("%s: %d pairs left out: over %d pieces", source, len(sources) - len(pairs), longest)
    if not pairs:
        raise InputError.at(
            source, f"no pair of sentences of at most {longest} pieces a side to measure heads on"
        )
    sources, targets = map(list, zip(*pairs, strict=True))
    start = decoder_start(model)
    return translation_batches(sources, targets, tokenizer.pad_token_id, start, settings.tokens), sources


def heads_of(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    batches: list[Batch],
    counts: Frequencies,
    settings: HeadSettings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Statistics and functions of every head of the model, in one pass over the batches.

    `counts` are of the pieces of the text that the encoder reads (a model without one: the only text). Measures of the
    table `heads` are among the statistics.
    """
    counted = {"encoder": counts, "cross": counts}
    # the output layer over the vocabulary tells nothing of heads
    seen = AttentionPass(model.base_model, batches, settings, tokenizer, counted, settings.kinds)
    offsets, syntactic = Offsets(settings.offset), Syntactic(settings.relations, settings.syntactic)
    confidence, entropy, rare = (seen.statistic(each) for each in (CONFIDENCE, ENTROPY, RARE))
    table = seen.table([confidence, entropy, offsets, syntactic, rare], of_table("heads"), "heads")
    baselines = Baselines(
        offset=offsets.chance().set_index(["kind", "key"])["value"].to_dict(),
        syntactic={
            f"{row.relation}/{stored}": row.share
            for way, stored in STORED.items()
            for row in syntactic.baseline(way).itertuples()
        },
        rare=rare.chance().set_index(["kind", "key"])["value"].to_dict(),
    )
    return table, label(table, baselines, settings.functions)


def _text(path: str | Path) -> Iterator[str]:
    return (segment.text for segment in lines(Path(path)))
