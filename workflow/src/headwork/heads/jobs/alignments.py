"""One translation model's word alignments and norms, from checkpoint and aligned text (Kobayashi et al. 2020)."""

from collections.abc import Mapping, Sequence
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.annotated.alignments import AlignedPair, gold_pairs
from headwork.errors import InputError
from headwork.heads.alignments.word_alignments import SETTINGS, Alignments, aligned_batches, soft_alignments
from headwork.heads.examples.sentences import DIGITS
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.norms.weights_and_norms import Norms
from headwork.heads.statistics.token_classes import token_classes
from headwork.heads.streaming.measure import measure
from headwork.models.loading.checkpoints import load
from headwork.models.loading.kinds import decoder_start
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.heads import AlignmentSettings


def align_run(
    input: Files, output: Files, gold: Mapping[str, Any], settings: AlignmentSettings, device: str = "cpu"
) -> None:
    """Measure alignments by weights and by norms, and the norms of every head, in one pass.

    Reads the folder of the `model`, and gold links with their text (see `gold_pairs`, also for `gold`). Writes

        alignments  (parquet) precision, recall, aer and mass of cross-attention
        norms       (parquet) of all attentions
        example     (json) one pair with its maps

    Raises InputError if no pair fits the model, and as `gold_pairs` does.
    """
    pairs = gold_pairs(vars(input), gold)[: settings.sentences]
    model, tokenizer = load(folder_of(input.model))
    model.to(device)
    start, longest = decoder_start(model), model.config.max_position_embeddings
    batches = aligned_batches(pairs, tokenizer, start, settings.tokens, longest)
    if not batches:
        raise InputError(f"alignments: no pair of sentences has at most {longest} pieces a side")
    vectors = VectorNorms(model)
    alignments, norms = Alignments(vectors), Norms(vectors, token_classes(tokenizer))
    with vectors.reading():
        measure(model.base_model, batches, [alignments, norms], progress="alignments")
    write_table(output.alignments, alignments.table())
    write_table(output.norms, norms.table())
    write_examples(output.example, [_example(model, tokenizer, pairs, settings)])


def _example(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    pairs: Sequence[AlignedPair],
    settings: AlignmentSettings,
) -> dict[str, Any]:
    """The first pair of readable length: words, gold links, and for each layer its maps by weights and by norms."""
    readable = (
        pair
        for pair in pairs
        if all(settings.shortest <= len(side) <= settings.longest for side in (pair.source, pair.target))
    )
    pair = next(readable, pairs[0])
    (batch,) = aligned_batches([pair], tokenizer, decoder_start(model), settings.tokens)
    layers = []
    for soft in soft_alignments(model, batch.to(next(model.parameters()).device)):
        # maps are those of every head, then the layer's own: by weights, then by norms
        heads = soft.maps.shape[1] // 2 - 1
        for number, setting in enumerate(SETTINGS):
            for measure_name, place in (("weight", heads), ("norm", 2 * heads + 1)):
                weights = soft.maps[number, place].double().numpy().round(DIGITS).tolist()
                layers.append(
                    {"layer": soft.site.layer, "setting": setting, "measure": measure_name, "map": weights}
                )
    sure, possible = (sorted(map(list, links)) for links in (pair.links.sure, pair.links.possible))
    return {
        "source": pair.source,
        "target": pair.target,
        "sure": sure,
        "possible": possible,
        "layers": layers,
    }
