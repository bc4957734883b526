"""One masked language model's heads on segments of running text (Clark et al. 2019, sections 3 and 5).

All that figures 2, 4 and 6 need of every head comes from one pass over the segments: attention to token classes and
neighbours, entropy, distances between heads. So does all that Kobayashi et al. (2020, section 4) ask: the norms of the
vectors that are mixed, how weights and norms cancel, and how norms go with the frequency of a token.

The paper says 1000 segments of 128 pieces; its release has 992, for the authors' reader loses the last text of a file.
Where the code departs from the text there is a setting: `token_types: zeros` reads both parts as the first, and
`segments.lone: stop` drops the rest of a paragraph with a sentence that fills a segment.
"""

import logging
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from headwork.corpora.running_text.segments import Segment, read_segments
from headwork.corpora.subwords.encoding import ids_of
from headwork.errors import InputError
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.examples.segments import crops
from headwork.heads.measures import of_table
from headwork.heads.norms.cancelling import Cancelling
from headwork.heads.norms.frequency_ranks import FrequencyRanks
from headwork.heads.norms.weights_and_norms import WEIGHTED_NORM
from headwork.heads.statistics.divergence import JensenShannon
from headwork.heads.statistics.entropy import ENTROPY
from headwork.heads.statistics.rare import Frequencies, read_frequencies
from headwork.heads.statistics.surface import PREVIOUS
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.models.loading import hub
from headwork.models.training.batches import cut, pad
from headwork.parses.align import SPECIAL
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.heads import SegmentRunSettings

log = logging.getLogger(__name__)


class Measured(NamedTuple):
    """The tables of one run.

    statistics    every head's: kind, layer, head, statistic, key, value, count
    chance        what even attention would give: kind, key, value; ``entropy`` is the mean of ln n over the texts
    correlations  over all heads of a kind together: kind, statistic, key, value, count, and of ranks low, high
    tokens        a sample of tokens with rank, norm and weight: `FrequencyRanks.tokens`
    pairs         a sample of pairs of a query and a token: `Cancelling.scatter`
    """

    statistics: pd.DataFrame
    chance: pd.DataFrame
    correlations: pd.DataFrame
    tokens: pd.DataFrame
    pairs: pd.DataFrame


def measure_segments(input: Files, output: Files, settings: SegmentRunSettings, device: str = "cpu") -> None:
    """Measure every head of an encoder, which needs no masked-word head, on segments of a text of paragraphs.

    Reads the folder of the `model`, the `text`, and `frequencies`, the counts of the pieces in the text it was trained
    on. Writes each table of `Measured`, statistics and tokens as parquet and the others as csv, and `examples` (json).
    Raises InputError if the text has no segment, or the model fewer positions than a segment has pieces.
    """
    model, tokenizer = hub.load(folder_of(input.model))
    model.to(device)
    batches = batches_of_text(input.text, tokenizer, settings, longest=hub.positions(model))
    counts = read_frequencies(input.frequencies, tokenizer)
    tables = heads_on_segments(model.base_model, tokenizer, batches, counts, settings)
    shown = crops(model.base_model, tokenizer, batches, settings.examples)
    for name, table in tables._asdict().items():
        write_table(getattr(output, name), table)
    write_examples(output.examples, shown)


def heads_on_segments(
    model: nn.Module,
    tokenizer: PreTrainedTokenizerBase,
    batches: Sequence[Batch],
    frequencies: Frequencies,
    settings: SegmentRunSettings | None = None,
) -> Measured:
    """All tables, from one pass; measures of the table `segments` are among the statistics."""
    settings = settings or SegmentRunSettings()
    seen = AttentionPass(model, batches, settings, tokenizer, {"encoder": frequencies})
    surface, entropy, norms = (seen.statistic(each) for each in (PREVIOUS, ENTROPY, WEIGHTED_NORM))
    cancelling = Cancelling(seen.vectors, seen.classes, settings.cancelling)
    ranks = FrequencyRanks(seen.vectors, {"encoder": frequencies}, settings.ranks)
    statistics = [surface, entropy, JensenShannon(settings.distance), norms, cancelling, ranks]
    table = seen.table(statistics, of_table("segments"), "segments")
    lengths = torch.cat([batch.queries["encoder"].present.sum(1) for batch in batches])
    uniform = pd.DataFrame(
        [("encoder", "entropy", lengths.log().mean().item())], columns=["kind", "key", "value"]
    )
    by_class = cancelling.together().assign(statistic="weight-norm-rho").rename(columns={"class": "key"})
    by_rank = ranks.correlations()
    by_rank = by_rank.assign(statistic="rank-" + by_rank["measure"] + "-rho")
    columns = ["kind", "statistic", "key", "value", "count"]
    return Measured(
        table,
        pd.concat([surface.chance(), uniform], ignore_index=True),
        pd.concat([by_class[columns], by_rank[[*columns, "low", "high"]]], ignore_index=True),
        ranks.tokens(),
        cancelling.scatter(),
    )


def batches_of_text(
    text: str | Path,
    tokenizer: PreTrainedTokenizerBase,
    settings: SegmentRunSettings | None = None,
    longest: int | float | None = None,
) -> list[Batch]:
    """The first segments of a file of paragraphs, as batches.

    Raises InputError if there is no segment, or a segment may have more than `longest` pieces.
    """
    settings = settings or SegmentRunSettings()
    if longest is not None and settings.segments.pieces > longest:
        raise InputError(
            f"heads on segments: segments of {settings.segments.pieces} pieces are longer than the model's {longest} "
            "positions; set `segments.pieces` lower"
        )
    found = read_segments(text, tokenizer.backend_tokenizer, settings.segments, settings.seed)
    chosen = list(islice(found, settings.number))
    if not chosen:
        raise InputError.at(text, "no segment of two parts is in it; give it longer paragraphs")
    if settings.number is not None and len(chosen) < settings.number:
        log.warning("%s has %d segments, not %d", text, len(chosen), settings.number)
    return segment_batches(chosen, tokenizer, settings.token_types, settings.tokens)


def segment_batches(
    segments: Iterable[Segment],
    tokenizer: PreTrainedTokenizerBase,
    token_types: str = "pair",
    tokens: int = 4096,
) -> list[Batch]:
    """Segments ``[CLS] A [SEP] B [SEP]`` sorted by length, in batches of at most `tokens` tokens.

    Every piece stands for a word of its own. Raises InputError for a tokenizer that joins two texts otherwise.
    """
    start, end = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
    (sample,) = ids_of(tokenizer, ["a"], special=False)
    if tokenizer("a", "a")["input_ids"] != start + sample + end + sample + end:
        raise InputError(
            f"heads on segments: {type(tokenizer).__name__} does not join two texts as [CLS] A [SEP] B [SEP]; give the "
            "model of an encoder whose tokenizer does"
        )
    texts, seconds = [], []
    for first, second in segments:
        texts.append(np.array(start + first + end + second + end))
        seconds.append(len(first) + 2)
    lengths = np.array([list(map(len, texts))]).repeat(2, axis=0)
    batches = []
    for chosen in cut(np.arange(len(texts)), lengths, tokens):
        ids = pad([texts[number] for number in chosen], tokenizer.pad_token_id)
        present = torch.arange(ids.shape[1]) < torch.from_numpy(lengths[0, chosen])[:, None]
        real = present & (ids != tokenizer.cls_token_id) & (ids != tokenizer.sep_token_id)
        words = (real.cumsum(1) - 1).where(real, SPECIAL)
        batch = single_batch(Side(ids, present, real, words), "encoder")
        inputs = dict(batch.inputs)
        if token_types != "none":
            second = torch.tensor([seconds[number] for number in chosen])[:, None]
            types = (torch.arange(ids.shape[1]) >= second) & present
            inputs["token_type_ids"] = types.long() if token_types == "pair" else torch.zeros_like(ids)
        batches.append(Batch(inputs, batch.queries, batch.keys))
    return batches
