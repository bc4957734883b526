"""One fine-tuned run: attributions of its heads on examples of its task, and what follows from them.

Hao et al. (2021), sections 4 and 5: importance of heads beside other measures of it, completeness of every example,
attribution trees, whether their edges alone keep the answer, and the receptive field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.glue import TASKS, read_task
from headwork.errors import InputError
from headwork.lens.edges import only_edges
from headwork.lens.lens import Lens
from headwork.models import hub
from headwork.models.batches import cut
from headwork.models.encoder_batches import EncoderCollator, LabelledTexts
from headwork.models.finetuning_run import TaskSettings
from headwork.options import options, require
from headwork.outputs import write_examples, write_table
from headwork.relevance.attribution import Attribution, AttributionSettings, attributions
from headwork.relevance.importance import PerHead, of_attributions, taylor
from headwork.relevance.targets import of_class
from headwork.relevance.trees import AttributionTree, Edge, TreeSettings, attribution_tree, random_edges
from headwork.shapes import Site

ANSWERS = ("gold", "predicted")
ATTRIBUTION = "attribution"


@dataclass(frozen=True)
class AttributionRunSettings:
    """On which examples heads are attributed to.

    `examples` of ``train``, so that heads are not ranked by what they are then judged on, or of ``dev`` (`leak`: the
    released code takes its first 200), drawn by `seed`; the `answer` whose probability is attributed; `longest`
    pieces of an example, `tokens` of a batch; `shown`: trees that are written; and the parts' settings.
    """

    examples: int = 200
    leak: bool = False
    answer: str = "gold"
    longest: int = 128
    tokens: int = 512
    seed: int = 0
    shown: int = 5
    attribution: AttributionSettings = field(default_factory=AttributionSettings)
    tree: TreeSettings = field(default_factory=TreeSettings)

    def __post_init__(self) -> None:
        require(
            self.answer in ANSWERS,
            f"attribution: answer is '{self.answer}'; it must be {' or '.join(ANSWERS)}",
        )
        for name in ("examples", "longest", "tokens"):
            require(
                getattr(self, name) > 0, f"attribution: {name} is {getattr(self, name)}; it must be 1 or more"
            )

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "AttributionRunSettings":
        """From the config's mapping; raises InputError for unknown keys and values that make no sense."""
        kinds = {"attribution": AttributionSettings, "tree": TreeSettings}
        parts = {
            name: options(kind, settings[name] or {}, f"attribution: {name}")
            for name, kind in kinds.items()
            if name in settings
        }
        return options(cls, {**settings, **parts}, "attribution")


class _Text(NamedTuple):
    """One example: its number in the data, its pieces, and its attributions summed over heads, layer by layer."""

    number: int
    pieces: list[str]
    layers: np.ndarray


def attribute_run(
    model_folder: str | Path,
    task_folder: str | Path,
    task: Mapping[str, Any],
    settings: Mapping[str, Any],
    outputs: Mapping[str, str | Path],
    device: str = "cpu",
) -> None:
    """Attribute the answers of a fine-tuned run and write what comes of it.

    `outputs`: importance (parquet: example, kind, layer, head, measure, value), completeness (parquet: example, kind,
    layer, change, missing, steps), edges (csv: the receptive field), kept (csv: the share of answers that stay with the
    edges of trees, or random ones, alone), and trees (json). Raises InputError for a task without labels (regression),
    and as the readers do.
    """
    chosen, described = AttributionRunSettings.of(settings), options(TaskSettings, task, "task")
    goal = TASKS[described.task]
    if goal.labels is None:
        raise InputError(f"attribution: {goal.name} has scores, not classes; attribute a task of classes")
    model, tokenizer = hub.load(model_folder)
    model.to(device)
    split = (described.dev or goal.dev)[0] if chosen.leak else "train"
    examples = list(read_task(task_folder, goal, split))
    drawn = np.random.default_rng(chosen.seed).permutation(len(examples))[: chosen.examples]
    data = LabelledTexts(
        [examples[number] for number in sorted(drawn.tolist())], goal, tokenizer, chosen.longest
    )
    collator = EncoderCollator(tokenizer, types="token_type_ids" in tokenizer.model_input_names)
    lengths = np.stack([data.source.lengths] * 2)
    importance, complete, texts = [], [], []
    for numbers in cut(np.arange(len(data)), lengths, chosen.tokens):
        batch = collator([data[number] for number in numbers.tolist()])
        labels = batch.pop("labels").to(device)
        inputs = {name: tensor.to(device) for name, tensor in batch.items()}
        if chosen.answer == "predicted":
            with torch.inference_mode():
                labels = model(**inputs).logits.argmax(1).clone()
        target = of_class(model, labels)
        found = list(attributions(model, inputs, target, settings=chosen.attribution))
        measures = {ATTRIBUTION: of_attributions(found), **taylor(model, inputs, target)}
        importance += [_rows(numbers, measure, of_heads) for measure, of_heads in measures.items()]
        complete += [_completeness(numbers, each) for each in found]
        texts += _texts(numbers, inputs, found, tokenizer)
    texts.sort(key=lambda text: text.number)
    trees = [attribution_tree(text.layers, chosen.tree) for text in texts]
    write_table(outputs["importance"], pd.concat(importance, ignore_index=True))
    write_table(outputs["completeness"], pd.concat(complete, ignore_index=True))
    write_table(outputs["edges"], receptive_field(trees))
    write_table(outputs["kept"], answers_kept(model, data, collator, trees, chosen.seed))
    shown = [tree.as_json(text.pieces) for text, tree in zip(texts, trees, strict=True)]
    write_examples(outputs["trees"], shown[: chosen.shown])


def _rows(numbers: np.ndarray, measure: str, of_heads: Mapping[Site, PerHead]) -> pd.DataFrame:
    tables = []
    for site, values in of_heads.items():
        heads = np.arange(1, values.shape[1] + 1)
        tables.append(
            pd.DataFrame(
                {
                    "example": numbers.repeat(len(heads)),
                    "kind": site.kind,
                    "layer": site.layer,
                    "head": np.tile(heads, len(numbers)),
                    "measure": measure,
                    "value": values.double().cpu().numpy().ravel(),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def _completeness(numbers: np.ndarray, found: Attribution) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "example": numbers,
            "kind": found.site.kind,
            "layer": found.site.layer,
            "change": found.change.double().cpu().numpy(),
            "missing": found.missing.double().cpu().numpy(),
            "steps": found.steps,
        }
    )


def _texts(
    numbers: np.ndarray,
    inputs: Mapping[str, Tensor],
    found: Sequence[Attribution],
    tokenizer: PreTrainedTokenizerBase,
) -> list[_Text]:
    layers = torch.stack([each.maps.sum(1) for each in found if each.site.kind == "encoder"], dim=1)
    texts = []
    for row, number in enumerate(numbers.tolist()):
        length = int(inputs["attention_mask"][row].sum())
        pieces = tokenizer.convert_ids_to_tokens(inputs["input_ids"][row, :length].tolist())
        own = layers[row, :, :length, :length].double().cpu().numpy()
        texts.append(_Text(number, pieces, own))
    return texts


def receptive_field(trees: Sequence[AttributionTree]) -> pd.DataFrame:
    """layer, distance, sd, edges: the mean |i - j| of the edges of each layer over all trees, and their number."""
    rows = [
        (layer, distance)
        for tree in trees
        for layer, distances in tree.distances().items()
        for distance in distances
    ]
    table = pd.DataFrame(rows, columns=["layer", "distance"]).astype({"layer": int, "distance": float})
    found = table.groupby("layer")["distance"].agg(
        distance="mean", sd=lambda values: values.std(ddof=0), edges="size"
    )
    return found.reset_index()


@torch.no_grad()
def answers_kept(
    model: PreTrainedModel,
    data: LabelledTexts,
    collator: EncoderCollator,
    trees: Sequence[AttributionTree],
    seed: int = 0,
) -> pd.DataFrame:
    """edges (tree, random), share, n: how often the answer stays with only these edges left in all layers."""
    model.eval()
    chance = np.random.default_rng(seed)
    kept = {"tree": 0, "random": 0}
    with Lens(model) as lens:
        sites = [site for site in lens.anatomy.sites if site.kind == "encoder"]
        for number, tree in enumerate(trees):
            batch = collator([data[number]])
            del batch["labels"]
            inputs = {name: tensor.to(model.device) for name, tensor in batch.items()}
            length = inputs["input_ids"].shape[1]
            answer = model(**inputs).logits.argmax(1)
            for name, edges in (("tree", tree.edges), ("random", random_edges(tree, length, chance))):
                with only_edges(lens, _masks(edges, sites, length, model.device)):
                    kept[name] += int((model(**inputs).logits.argmax(1) == answer).sum())
    rows = [(name, count / len(trees), len(trees)) for name, count in kept.items()]
    return pd.DataFrame(rows, columns=["edges", "share", "n"])


def _masks(
    edges: Sequence[Edge], sites: Sequence[Site], length: int, device: torch.device
) -> dict[Site, Tensor]:
    masks = {site: torch.zeros(1, length, length, dtype=torch.bool, device=device) for site in sites}
    for edge in edges:
        masks[Site("encoder", edge.layer)][0, edge.reader, edge.read] = True
    return masks
