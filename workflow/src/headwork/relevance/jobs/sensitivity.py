"""One masked language model's sensitivity to its attention, from its checkpoint and a text of paragraphs to a table."""

from headwork.errors import InputError
from headwork.heads.jobs.segment_heads import batches_of_text
from headwork.heads.statistics.token_classes import token_classes
from headwork.models.architectures.masked_head import load_masked
from headwork.models.loading import hub
from headwork.models.objectives.masking import Masking
from headwork.relevance.sensitivity import masked, sensitivity
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.heads import SegmentRunSettings
from headwork.settings.relevance import SensitivitySettings


def sensitivity_run(
    input: Files,
    output: Files,
    segments: SegmentRunSettings,
    settings: SensitivitySettings,
    device: str = "cpu",
) -> None:
    """Measure the gradient of a masked language model's loss with respect to every head's weights.

    Input: model (its files) and text (of paragraphs), cut by `segments`, the config's part of that name. Output: table
    (parquet, see `sensitivity`). Raises InputError for text without segments, segments that the model has no positions
    for, and a model without a masked-word head.
    """
    folder = folder_of(input.model)
    cut = segments.model_copy(update={"number": settings.number, "tokens": settings.tokens})
    model, tokenizer, new = load_masked(folder, seed=0)
    if new:
        raise InputError.at(
            folder,
            "has no masked-word head, and it is that head's loss whose gradient is measured; train one: a run with "
            "this one as init_run, and `start: encoder` and `frozen: encoder` in its recipe",
        )
    model.to(device)
    batches = batches_of_text(input.text, tokenizer, cut, longest=hub.positions(model))
    read = masked(batches, Masking(tokenizer, settings.masking), settings.seed)
    table = sensitivity(model, read, token_classes(tokenizer), settings, progress="sensitivity")
    write_table(output.table, table)
