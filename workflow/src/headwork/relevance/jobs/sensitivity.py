"""One masked language model's sensitivity to its attention, from its checkpoint and a text of paragraphs to a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwork.errors import InputError
from headwork.heads.jobs.segment_heads import batches_of_text
from headwork.heads.statistics.token_classes import token_classes
from headwork.models.architectures.masked_head import load_masked
from headwork.models.loading import hub
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.relevance.sensitivity import SensitivitySettings, masked, sensitivity
from headwork.run.outputs import write_table
from headwork.settings.heads import SegmentRunSettings
from headwork.settings.options import options, require


@dataclass(frozen=True)
class SensitivityRunSettings:
    """On how many segments, how they are masked (`seed` draws the masks), and what is averaged.

    `number`: the first so many segments of those that heads are measured on (None: all); `tokens` of a batch, whose
    weights and gradients are in memory at once.
    """

    number: int | None = 200
    tokens: int = 1024
    seed: int = 0
    loss: str = "mean"
    pairs: str = "mean"
    masking: MaskingSettings = field(default_factory=MaskingSettings)

    def __post_init__(self) -> None:
        require(self.tokens > 0, f"sensitivity: tokens is {self.tokens}; it must be 1 or more")


def sensitivity_run(
    model_folder: str | Path,
    text: str | Path,
    segments: Mapping[str, Any],
    settings: Mapping[str, Any],
    table_path: str | Path,
    device: str = "cpu",
) -> None:
    """Measure the gradient of the loss with respect to every head's weights, and write the table.

    `segments` is the config's part `heads: segments`, by which the text is cut. Raises InputError for text without
    segments, segments that the model has no positions for, and a model without a masked-word head.
    """
    chosen = options(SensitivityRunSettings, settings, "sensitivity")
    cut = SegmentRunSettings.read(segments, "segments")
    cut = cut.model_copy(update={"number": chosen.number, "tokens": chosen.tokens})
    model, tokenizer, new = load_masked(model_folder, seed=0)
    if new:
        raise InputError.at(
            model_folder,
            "has no masked-word head, and it is that head's loss whose gradient is measured; train one: a run with "
            "this one as init_run, and `start: encoder` and `frozen: encoder` in its recipe",
        )
    model.to(device)
    batches = batches_of_text(text, tokenizer, cut, longest=hub.positions(model))
    read = masked(batches, Masking(tokenizer, chosen.masking), chosen.seed)
    averages = SensitivitySettings(chosen.loss, chosen.pairs)
    table = sensitivity(model, read, token_classes(tokenizer), averages, progress="sensitivity")
    write_table(table_path, table)
