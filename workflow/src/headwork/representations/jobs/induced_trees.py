"""One encoder on a treebank: where each head looks, and the trees its maps induce (Raganato & Tiedemann 2018).

The model may be any that the lens knows: the encoder of a translation model, or one like BERT.
"""

from itertools import islice

from headwork.errors import InputError
from headwork.heads.statistics.target_positions import Places
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.parsed import parsed_texts
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.parses.conllu import read_trees
from headwork.representations.geometry.induced_trees import InducedTrees, baselines
from headwork.representations.states.hidden_states import reader_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.representations import InducedTreeSettings


def tree_run(input: Files, output: Files, settings: InducedTreeSettings, device: str = "cpu") -> None:
    """Measure the heads of one encoder on a treebank.

    `input`: model (its files), trees (CoNLL-U). `output`: table (parquet: kind, layer, head, statistic (`place`,
    `tree`), key, value, count), baselines (csv: what trees without a model come to: baseline, key, value, count).
    Raises InputError for what is no tree, or no model.
    """
    folder = folder_of(input.model)
    whole, tokenizer = hub.load(folder)
    model = reader_of(whole).to(device)
    if not any(site.kind == "encoder" for site in anatomy(model).sites):
        raise InputError.at(folder, f"a {type(whole).__name__} has no encoder; give a model that has one")
    sentences = list(islice(read_trees(input.trees), settings.sentences))
    texts = parsed_texts(sentences, tokenizer, whole, input.trees)
    batches = single_batches(texts, "encoder", tokenizer.pad_token_id, settings.tokens)
    statistics = [Places(settings.places), InducedTrees(settings.from_pieces)]
    write_table(output.table, measure(model, batches, statistics, ["encoder"], progress="trees"))
    write_table(
        output.baselines, baselines((text.tree for text in texts), draws=settings.draws, seed=settings.seed)
    )
