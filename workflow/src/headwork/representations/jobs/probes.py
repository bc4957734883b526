"""Probes that read trees off one encoder's attention, and what they must be compared with (Clark et al. 2019, table 3).

attention                     each head's map, two weights a head
attention-and-words           the same, the weights linear in the words' vectors
distances-and-words           no attention at all
random-attention-and-words    the second, with all layers but the embeddings drawn anew
right-branching               every word hangs on the next
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.corpora.sources.readers import lines
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.parsed import parsed_texts
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.parses.conllu import Sentence, read_trees
from headwork.representations.probes.dependency import (
    AttentionAndWordsProbe,
    AttentionProbe,
    DistancesAndWordsProbe,
    ProbeSettings,
    right_branching,
    train,
    uas,
    with_random_layers,
)
from headwork.representations.probes.word_maps import WordMaps
from headwork.representations.probes.word_vectors import (
    VectorSettings,
    WordVectors,
    read_vectors,
    train_vectors,
)
from headwork.run.outputs import write_table
from headwork.settings.options import options

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProbeRunSettings:
    """`sentences` to train on and `dev_sentences` to score at most (None: all); `tokens` of a batch; `seed`.

    `vectors` are trained on the model's text, unless `glove` is a file of vectors.
    """

    sentences: int | None = None
    dev_sentences: int | None = None
    tokens: int = 2000
    seed: int = 0
    glove: str | None = None
    vectors: VectorSettings = field(default_factory=VectorSettings)
    training: ProbeSettings = field(default_factory=ProbeSettings)


def probe_run(
    model_folder: str | Path,
    train_trees: str | Path,
    dev_trees: str | Path,
    text: str | Path,
    settings: Mapping[str, Any],
    table_path: str | Path,
    device: str = "cpu",
) -> None:
    """Train every probe on the trees of `train_trees`, score it on `dev_trees`, and write the table: probe, uas, n.

    `text` has the sentences that word vectors are learned from, one a line. Raises InputError for files without trees.
    """
    chosen = options(ProbeRunSettings, settings, "probes")
    whole, tokenizer = hub.load(model_folder)
    model = whole.base_model.to(device)
    learned, scored = (
        list(islice(read_trees(path), count))
        for path, count in ((train_trees, chosen.sentences), (dev_trees, chosen.dev_sentences))
    )
    parts = [
        parsed_texts(sentences, tokenizer, model, path)
        for sentences, path in ((learned, train_trees), (scored, dev_trees))
    ]
    batches = [single_batches(part, "encoder", tokenizer.pad_token_id, chosen.tokens) for part in parts]
    vectors = _vectors(chosen, text, [*learned, *scored])
    heads = sum(part.heads for site, part in anatomy(model).sites.items() if site.kind == "encoder")
    rows = []
    for prefix, encoder, probes in (
        (
            "",
            model,
            {
                "attention": AttentionProbe(heads),
                "attention-and-words": AttentionAndWordsProbe(heads, vectors.size),
                "distances-and-words": DistancesAndWordsProbe(vectors.size, seed=chosen.seed),
            },
        ),
        (
            "random-",
            with_random_layers(model, chosen.seed),
            {"attention-and-words": AttentionAndWordsProbe(heads, vectors.size)},
        ),
    ):
        own = [probe.to(device) for probe in probes.values()]
        streams = [WordMaps(encoder, part, vectors, chosen.seed) for part in batches]
        train(own, streams[0], chosen.training, progress=f"{prefix}probes")
        found, words = uas(own, streams[1])
        rows += [(f"{prefix}{name}", value, words) for name, value in zip(probes, found, strict=True)]
    rows.append(("right-branching", right_branching([text.tree for text in parts[1]]), rows[0][2]))
    write_table(table_path, pd.DataFrame(rows, columns=["probe", "uas", "n"]))


def _vectors(settings: ProbeRunSettings, text: str | Path, sentences: list[Sentence]) -> WordVectors:
    if settings.glove is not None:
        return read_vectors(settings.glove, {word for sentence in sentences for word in sentence.forms})
    return train_vectors((line.text.split() for line in lines(Path(text))), settings.vectors)
