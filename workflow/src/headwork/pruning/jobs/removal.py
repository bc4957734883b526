"""One pruned run's model without its closed heads, and its speed beside the model it was pruned from."""

from headwork.models.jobs.remove_heads import remove_closed_heads
from headwork.pruning.speed import time_run
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_json
from headwork.settings.models import Translation
from headwork.settings.pruning import SpeedSettings


def remove_run(
    input: Files,
    output: Files,
    settings: SpeedSettings,
    translation: Translation,
    device: str = "cpu",
    threads: int = 1,
) -> None:
    """Write a pruned run's model without its closed heads, and time it beside the model it was pruned from.

    Input: model (its files) with gates (gates.csv beside them), whole (the weights of the other model) and source
    (sentences that both translate). Output: model (its files) and removal (json) as `remove_closed_heads` writes them,
    and speed (json, see `time_run`).
    """
    smaller = folder_of(output.removal)
    remove_closed_heads(folder_of(input.model), smaller)
    found = time_run(folder_of(input.whole), smaller, input.source, translation, settings, threads, device)
    write_json(output.speed, found)
