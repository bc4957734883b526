"""Probes that read trees off one encoder's attention, and what they must be compared with (Clark et al. 2019, table 3).

attention                     each head's map, two weights a head
attention-and-words           the same, the weights linear in the words' vectors
distances-and-words           no attention at all
random-attention-and-words    the second, with all layers but the embeddings drawn anew
right-branching               every word hangs on the next
"""

import logging
from itertools import islice
from pathlib import Path

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
    right_branching,
    train,
    uas,
    with_random_layers,
)
from headwork.representations.probes.word_maps import WordMaps
from headwork.representations.probes.word_vectors import WordVectors, read_vectors, train_vectors
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.representations import DependencyProbing

log = logging.getLogger(__name__)


def probe_run(input: Files, output: Files, settings: DependencyProbing, device: str = "cpu") -> None:
    """Train every probe on some trees and score it on others.

    `input`: model (its files), train_trees and dev_trees (CoNLL-U), text (that word vectors are learned from, a
    sentence a line). `output`: table (csv: probe, uas, n). Raises InputError for files without trees.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    model = whole.base_model.to(device)
    learned, scored = (
        list(islice(read_trees(path), count))
        for path, count in (
            (input.train_trees, settings.sentences),
            (input.dev_trees, settings.dev_sentences),
        )
    )
    parts = [
        parsed_texts(sentences, tokenizer, model, path)
        for sentences, path in ((learned, input.train_trees), (scored, input.dev_trees))
    ]
    batches = [single_batches(part, "encoder", tokenizer.pad_token_id, settings.tokens) for part in parts]
    vectors = _vectors(settings, input.text, [*learned, *scored])
    heads = sum(part.heads for site, part in anatomy(model).sites.items() if site.kind == "encoder")
    rows = []
    for prefix, encoder, probes in (
        (
            "",
            model,
            {
                "attention": AttentionProbe(heads),
                "attention-and-words": AttentionAndWordsProbe(heads, vectors.size),
                "distances-and-words": DistancesAndWordsProbe(vectors.size, seed=settings.seed),
            },
        ),
        (
            "random-",
            with_random_layers(model, settings.seed),
            {"attention-and-words": AttentionAndWordsProbe(heads, vectors.size)},
        ),
    ):
        own = [probe.to(device) for probe in probes.values()]
        streams = [WordMaps(encoder, part, vectors, settings.seed) for part in batches]
        train(own, streams[0], settings.training, progress=f"{prefix}probes")
        found, words = uas(own, streams[1])
        rows += [(f"{prefix}{name}", value, words) for name, value in zip(probes, found, strict=True)]
    rows.append(("right-branching", right_branching([text.tree for text in parts[1]]), rows[0][2]))
    write_table(output.table, pd.DataFrame(rows, columns=["probe", "uas", "n"]))


def _vectors(settings: DependencyProbing, text: Path, sentences: list[Sentence]) -> WordVectors:
    if settings.glove is not None:
        return read_vectors(settings.glove, {word for sentence in sentences for word in sentence.forms})
    return train_vectors((line.text.split() for line in lines(text)), settings.vectors)
