"""Training of stanza's tagger and dependency parser on a treebank.

Both are those of Qi et al. (2018), "Universal Dependency Parsing from Scratch": BiLSTMs over words and characters,
biaffine classifiers for tags, heads and relations. stanza's own code is run; this module handles its settings, progress
bar and log.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import stanza
import torch
from stanza.models import parser as stanza_parser
from stanza.models import tagger as stanza_tagger
from stanza.models.common.utils import set_random_seed
from tqdm import tqdm

from headwork.errors import InputError
from headwork.parses.conllu import read_conllu
from headwork.parses.scores import score_parses
from headwork.parses.stanza.parsing import parses, trained_pipeline
from headwork.parses.treebank import Size
from headwork.run.frame import Files
from headwork.settings.parses import Parser

# No word vectors and no language model by default, so that nothing is downloaded; settings can name them.
_FROM_SCRATCH = {"pretrain": False, "charlm": False}
# Depends on the folder of the training, so that equal models would differ in their bytes.
_PLACES = ("train_file", "eval_file", "save_dir", "save_name", "output_file", "data_dir", "wordvec_dir")

_STEP = re.compile(r"Finished STEP (\d+)/\d+, loss = ([\d.]+|nan|inf)")
_SCORE = re.compile(r"step (\d+): train_loss = ([\d.]+|nan|inf), dev_score = ([\d.]+)")


class Progress(logging.Handler):
    """Follows a training through stanza's log: a progress bar, and the scores on dev.

    `scores` are (step, training loss, score on dev), the score a share: of words with all tags right for the
    tagger, of words with head and relation right (LAS) for the parser.
    """

    def __init__(self, name: str, steps: int) -> None:
        super().__init__(logging.INFO)
        self.scores: list[tuple[int, float, float]] = []
        self.bar = tqdm(total=steps, desc=f"train the {name}", unit="step", disable=None)

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if step := _STEP.search(message):
            self.bar.update(int(step[1]) - self.bar.n)
        elif score := _SCORE.search(message):
            self.scores.append((int(score[1]), float(score[2]), float(score[3])))
            self.bar.set_postfix(dev=f"{100 * float(score[3]):.1f}")

    def close(self) -> None:
        self.bar.close()
        super().close()


@contextmanager
def _following(name: str, steps: int) -> Iterator[Progress]:
    progress = Progress(name, steps)
    # without a handler stanza writes to stderr, across the progress bar; its lines belong in the job's log
    stanza.logger.removeHandler(stanza.log_handler)
    stanza.logger.addHandler(progress)
    try:
        yield progress
    finally:
        stanza.logger.removeHandler(progress)
        progress.close()


def _arguments(
    module: ModuleType, name: str, settings: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """stanza's defaults, changed by `settings` (which are checked against them), then by what is `given`."""
    arguments = module.parse_args([])
    for key, value in settings.items():
        if key not in arguments or key in given:
            meant = get_close_matches(key, [known for known in arguments if known not in given], n=1)
            hint = f"did you mean '{meant[0]}'?" if meant else "the settings are stanza's own"
            raise InputError(f"{name}: unknown setting '{key}'; {hint}")
        default = arguments[key]
        fits = isinstance(value, type(default)) or (type(default) is float and type(value) is int)
        if isinstance(value, bool) != isinstance(default, bool):
            fits = False
        if default is not None and value is not None and not fits:
            raise InputError(
                f"{name}: setting '{key}' is {value!r}; it must be like its default, {default!r}"
            )
    arguments |= _FROM_SCRATCH | dict(settings) | dict(given)
    if arguments["eval_interval"] > arguments["max_steps"]:
        raise InputError(
            f"{name}: eval_interval is {arguments['eval_interval']} of max_steps {arguments['max_steps']}, "
            "so the model would never be scored on dev; set a smaller eval_interval"
        )
    return arguments


def _settle(trained: Path, destination: Path) -> None:
    """Store a model at its destination, with bytes that do not depend on the folder of the training."""
    model = torch.load(trained, map_location="cpu", weights_only=True)
    for place in _PLACES:
        model["config"].pop(place, None)
    destination.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model, destination)


def _train(module: ModuleType, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Train one model and return its entry in training.json."""
    set_random_seed(arguments["seed"])
    with _following(name, arguments["max_steps"]) as progress:
        module.train(dict(arguments))
    best = max(progress.scores, key=lambda each: each[2])
    return {
        "steps": progress.scores[-1][0],
        "best_step": best[0],
        "dev": best[2],
        "history": [
            {"step": step, "train_loss": loss, "dev": share} for step, loss, share in progress.scores
        ],
    }


def train_parser(
    input: Files, output: Files, parser: Parser, device: str = "cpu", language: str = "en"
) -> None:
    """Train a tagger, then a parser, on the treebank `train` and `dev` (CoNLL-U, see headwork.parses.treebank).

    Writes the `tagger` (tagger.pt), the `parser` (parser.pt) and training.json, `training`: the settings, the history,
    and under ``scores`` how tagger and parser together do on dev (see headwork.parses.scores). The settings of either
    have stanza's own names (``python -m stanza.models.tagger --help``); what an option turns off is false or null here:
    ``--no_char`` is ``char: false``.

    Raises InputError for a setting that stanza does not have or of another type.
    """
    with TemporaryDirectory(prefix="headwork-parser-") as workplace:
        place = Path(workplace)
        common = {
            "lang": language,
            "shorthand": f"{language}_headwork",
            "device": device,
            "seed": parser.seed,
        }
        common |= {"mode": "train", "save_dir": workplace}
        files = {"train_file": str(input.train), "eval_file": str(input.dev)}
        # otherwise stanza would score less often with a larger dev part
        every = {"save_name": "tagger.pt", "adapt_eval_interval": False}
        tagger_arguments = _arguments(stanza_tagger, "tagger", parser.tagger, common | files | every)
        given = common | files | {"save_name": "parser.pt", "checkpoint": False}
        parser_arguments = _arguments(stanza_parser, "parser", parser.parser, given)

        account: dict[str, Any] = {"tagger": _train(stanza_tagger, "tagger", tagger_arguments)}
        if parser.tags == "predicted":
            for key, source in files.items():
                tagged = str(place / f"{key}.conllu")
                stanza_tagger.evaluate(tagger_arguments | {"eval_file": source, "output_file": tagged})
                parser_arguments[key] = tagged
        account["parser"] = _train(stanza_parser, "parser", parser_arguments)

        pipeline = trained_pipeline(place / "tagger.pt", place / "parser.pt", language, device)
        parsed = parses((sentence.forms for sentence in read_conllu(input.dev)), pipeline)
        account |= {
            "scores": score_parses(read_conllu(input.dev), parsed, input.dev, "its parses"),
            "settings": {
                "tagger": parser.tagger,
                "parser": parser.parser,
                "tags": parser.tags,
                "seed": parser.seed,
            },
            "treebank": {name: _size(getattr(input, name))._asdict() for name in ("train", "dev")},
            "versions": {package: version(package) for package in ("stanza", "torch")},
        }
        for path in (output.tagger, output.parser):
            _settle(place / path.name, path)
    text = json.dumps(account, indent=2, ensure_ascii=False)
    output.training.write_text(text + "\n", encoding="utf-8")


def _size(path: Path) -> Size:
    lengths = [len(sentence) for sentence in read_conllu(path)]
    return Size(len(lengths), sum(lengths))
