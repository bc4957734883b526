"""Which function trains a row of the run sheet: its objective decides, and what it is trained on."""

from collections.abc import Callable, Collection

from headwork.run.frame import function_at

TRAINERS = {
    ("translation", "corpus"): "train.run_training",
    ("lm", "corpus"): "language_model.train_language_model",
    ("mlm", "corpus"): "language_model.train_language_model",
    ("mlm", "text"): "pretrain.pretrain",
    ("classification", "task"): "finetune.finetune",
}


def trainer(objective: str, given: Collection[str]) -> Callable[..., None]:
    """The function for that objective and `given`, the names of what it reads: a `corpus`, a `text` or a `task`."""
    (place,) = (place for (wanted, kind), place in TRAINERS.items() if wanted == objective and kind in given)
    return function_at(f"headwork.models.jobs.{place}")
