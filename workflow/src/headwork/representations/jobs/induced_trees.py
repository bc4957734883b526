"""One encoder on a treebank: where each head looks, and the trees its maps induce (Raganato & Tiedemann 2018).

<run>.trees.parquet     kind, layer, head, statistic (`place`, `tree`), key, value, count
<run>.branching.csv     what trees without a model come to: baseline, key, value, count

The model may be any that the lens knows: the encoder of a translation model, or one like BERT.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

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
from headwork.run.outputs import write_table
from headwork.settings.heads import PlaceSettings
from headwork.settings.options import options, require


@dataclass(frozen=True)
class InducedTreeSettings:
    """The config's part `representations.trees`.

    `sentences` of the treebank's dev part at most (None: all); `tokens` of a batch; `from_pieces`: what stands for a
    word that looks (mean, first, last); `draws` of random trees a sentence, by `seed`.
    """

    sentences: int | None = None
    tokens: int = 2000
    from_pieces: str = "mean"
    draws: int = 5
    seed: int = 0
    places: PlaceSettings = field(default_factory=PlaceSettings)

    def __post_init__(self) -> None:
        for name in ("tokens", "draws"):
            require(getattr(self, name) > 0, f"trees: {name} is {getattr(self, name)}; it must be 1 or more")
        require(
            self.from_pieces in ("mean", "first", "last"),
            f"trees: from_pieces is {self.from_pieces!r}; it must be mean, first or last",
        )


def tree_run(
    model_folder: str | Path,
    trees: str | Path,
    settings: Mapping[str, Any],
    table_path: str | Path,
    baselines_path: str | Path,
    device: str = "cpu",
) -> None:
    """Measure the heads of one encoder on the CoNLL-U `trees`, and write both tables.

    `model_folder` may be a name of the hub. Raises InputError for what is no tree, or no model.
    """
    chosen = options(InducedTreeSettings, settings, "trees")
    whole, tokenizer = hub.load(model_folder)
    model = reader_of(whole).to(device)
    if not any(site.kind == "encoder" for site in anatomy(model).sites):
        raise InputError.at(
            model_folder, f"a {type(whole).__name__} has no encoder; give a model that has one"
        )
    sentences = list(islice(read_trees(trees), chosen.sentences))
    texts = parsed_texts(sentences, tokenizer, whole, trees)
    batches = single_batches(texts, "encoder", tokenizer.pad_token_id, chosen.tokens)
    statistics = [Places(chosen.places), InducedTrees(chosen.from_pieces)]
    write_table(table_path, measure(model, batches, statistics, ["encoder"], progress="trees"))
    write_table(
        baselines_path, baselines((text.tree for text in texts), draws=chosen.draws, seed=chosen.seed)
    )
