"""One run's heads, from its checkpoint and the analysis text to the three files of results/heads.

<run>.parquet         statistics of every head: kind, layer, head, statistic, key, value, count
<run>.functions.csv   every head and every function it may have, with score, baseline and verdict
<run>.examples.json   a few sentences with the maps of every encoder head
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.heads.examples.sentences import ExampleSettings, examples
from headwork.heads.statistics.confidence import Confidence, ConfidenceSettings
from headwork.heads.statistics.entropy import Entropy, EntropySettings
from headwork.heads.statistics.functions import Baselines, FunctionSettings, label
from headwork.heads.statistics.offsets import Offsets, OffsetSettings
from headwork.heads.statistics.rare import Frequencies, Rare, RareSettings, read_frequencies
from headwork.heads.streaming.batches import Batch, Text, single_batches, texts, translation_batches
from headwork.heads.streaming.measure import measure
from headwork.heads.syntax.syntactic import Syntactic, SyntacticSettings
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import load
from headwork.parses.conllu import read_trees
from headwork.run.outputs import write_examples, write_table
from headwork.settings.options import options, require
from headwork.settings.parses import Relations
from headwork.sites import KINDS

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeadSettings:
    """The config's part `heads`: what is measured, on which text, and what the papers leave open.

    `split` and `sentences` (None: all): the text. `tokens`: of a batch, padding included. `kinds`: which attentions.
    """

    split: str = "test"
    sentences: int | None = None
    tokens: int = 4000
    kinds: tuple[str, ...] = KINDS
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    entropy: EntropySettings = field(default_factory=EntropySettings)
    offset: OffsetSettings = field(default_factory=OffsetSettings)
    relations: Relations = field(default_factory=Relations)
    syntactic: SyntacticSettings = field(default_factory=SyntacticSettings)
    rare: RareSettings = field(default_factory=RareSettings)
    functions: FunctionSettings = field(default_factory=FunctionSettings)
    examples: ExampleSettings = field(default_factory=ExampleSettings)

    def __post_init__(self) -> None:
        require(self.tokens > 0, f"heads: tokens is {self.tokens}; it must be 1 or more")
        for kind in self.kinds:
            require(kind in KINDS, f"heads: there are no {kind!r} heads; kinds are {', '.join(KINDS)}")


def measure_run(
    model_folder: str | Path,
    source: str | Path,
    target: str | Path,
    trees: str | Path,
    frequencies: str | Path,
    settings: Mapping[str, Any],
    *,
    statistics_path: str | Path,
    functions_path: str | Path,
    examples_path: str | Path,
    device: str = "cpu",
) -> None:
    """Measure every head of one trained translation model and write the three files.

    `source` and `target` are line-aligned text, `trees` the CoNLL-U of the source, `frequencies` the counts of the
    training corpus's pieces. Raises InputError for text, trees and counts that do not belong together.
    """
    chosen = options(HeadSettings, settings, "heads")
    model, tokenizer = load(model_folder)
    model.to(device).eval()
    batches, sources = analysis_batches(model, tokenizer, source, target, trees, chosen)
    counts = read_frequencies(frequencies, tokenizer)
    statistics, functions = heads_of(model, batches, counts, chosen)
    shown = []
    if model.config.is_encoder_decoder:
        shown = examples(
            model.get_encoder(), sources, tokenizer, counts, chosen.rare.not_among, chosen.examples
        )
    write_table(statistics_path, statistics)
    write_table(functions_path, functions)
    write_examples(examples_path, shown)


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
        return single_batches(sources, kinds.pop(), tokenizer.pad_token_id, settings.tokens), sources
    targets = list(texts(islice(_text(target), most), tokenizer, name=str(target)))
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
    start = model.config.decoder_start_token_id
    return translation_batches(sources, targets, tokenizer.pad_token_id, start, settings.tokens), sources


def heads_of(
    model: PreTrainedModel, batches: list[Batch], counts: Frequencies, settings: HeadSettings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Statistics and functions of every head of the model, in one pass over the batches.

    `counts` are of the pieces of the text that the encoder reads (a model without one: the only text).
    """
    offsets, syntactic = Offsets(settings.offset), Syntactic(settings.relations, settings.syntactic)
    rare = Rare({"encoder": counts, "cross": counts}, settings.rare)
    statistics = [Confidence(settings.confidence), Entropy(settings.entropy), offsets, syntactic, rare]
    # the output layer over the vocabulary tells nothing of heads
    table = measure(model.base_model, batches, statistics, settings.kinds, progress="heads")
    baselines = Baselines(
        offset=offsets.chance().set_index(["kind", "key"])["value"].to_dict(),
        syntactic=syntactic.baseline().set_index("relation")["share"].to_dict(),
        rare=rare.chance().set_index(["kind", "key"])["value"].to_dict(),
    )
    return table, label(table, baselines, settings.functions)


def _text(path: str | Path) -> Iterator[str]:
    return (segment.text for segment in lines(Path(path)))
