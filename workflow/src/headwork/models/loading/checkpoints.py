"""Models on disk: a folder with safetensors, config and tokenizer that plain `transformers` loads.

Loading is strict: `transformers` itself only warns of missing or unused weights, so that an untrained layer could be
analysed. It is also safe: weights are read only from safetensors, and a model's own code is never run.
"""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging as messages

from headwork.errors import DamagedFile, InputError
from headwork.models.gates.removal import FEWER_HEADS
from headwork.models.loading.kinds import fit_inputs

WEIGHTS = "model.safetensors"
ENCODER_FILES = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json")
FILES = (*ENCODER_FILES, "generation_config.json")

PADDING, END, UNKNOWN = "<pad>", "</s>", "<unk>"
BERT_SPECIALS = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("pad", "unk", "cls", "sep", "mask")}
NOTHING = re.compile(r"(?!)")

NO_CODE = {"trust_remote_code": False}  # explicit, because the default asks on the terminal


def read_tokenizer(path: str | Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a `tokenizer.json` made by the corpora phase, with its special tokens named.

    A vocabulary with [CLS] is BERT's: the tokenizer of an encoder. Raises `InputError` if it is absent, unreadable,
    lacks a special token, or does not end sentences.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError.at(path, "the tokenizer does not exist; run the corpora phase, which makes it")
    try:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path))
    except Exception as error:  # the tokenizers library raises plain Exception
        raise InputError.at(
            path, f"the file is not a tokenizer of the `tokenizers` library: {error}"
        ) from error
    known = tokenizer.get_vocab()
    translates = "[CLS]" not in known
    specials = {"pad_token": PADDING, "eos_token": END, "unk_token": UNKNOWN} if translates else BERT_SPECIALS
    for piece in specials.values():
        if piece not in known:
            wanted = ", ".join(specials.values())
            raise InputError.at(
                path, f"the tokenizer has no token {piece}; train it with the special tokens {wanted}"
            )
    tokenizer.add_special_tokens(specials)
    if not translates:
        tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
        tokenizer.init_kwargs["model_input_names"] = tokenizer.model_input_names  # saved with it
    end = END if translates else "[SEP]"
    if tokenizer("")["input_ids"][-1:] != [known[end]]:
        raise InputError.at(path, f"it does not end a sentence with {end}; give it a template post-processor")
    return tokenizer


def save(folder: str | Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Write model and tokenizer to a folder that `from_pretrained` reads."""
    messages.disable_progress_bar()
    model.save_pretrained(folder)
    # safetensors writes files readable only by the user; results get the folder's permissions
    (Path(folder) / WEIGHTS).chmod((Path(folder) / "config.json").stat().st_mode)
    tokenizer.save_pretrained(folder)


def store_as(folder: str | Path, dtype: str) -> None:
    """Rewrite the weights of a saved model in `dtype` (float32 or float16); its config still says how it is loaded.

    In half precision a model takes half the space. It is read back in single precision, every weight rounded to 11
    bits. Raises `InputError` for a weight that half precision cannot hold.
    """
    path, wanted = Path(folder) / WEIGHTS, getattr(torch, dtype)
    weights = load_file(path)
    stored = {
        name: weight.to(wanted) if weight.is_floating_point() else weight for name, weight in weights.items()
    }
    for name, weight in stored.items():
        if not torch.equal(weight.isfinite(), weights[name].isfinite()):
            raise InputError.at(
                path, f"the weight {name} is too large for {dtype}; store this model as float32"
            )
    if any(stored[name].dtype != weight.dtype for name, weight in weights.items()):
        half = path.with_suffix(".part")
        save_file(stored, half, metadata={"format": "pt"})
        half.chmod(path.stat().st_mode)
        half.replace(path)


class Loaded(NamedTuple):
    """A model, its tokenizer, and the names of newly initialised weights, which were not in its file."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    new: list[str]


def load(
    folder: str | Path,
    kind: type = AutoModelForSeq2SeqLM,
    offline: bool = False,
    left_over: re.Pattern[str] = NOTHING,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The complete model of a folder (or of a name on the hub), and its tokenizer; otherwise as `load_with_new`."""
    model, tokenizer, _ = load_with_new(folder, kind, offline, left_over)
    return model, tokenizer


def load_with_new(
    folder: str | Path,
    kind: type,
    offline: bool = False,
    left_over: re.Pattern[str] = NOTHING,
    new: re.Pattern[str] = NOTHING,
    tokenizer: PreTrainedTokenizerBase | None = None,
    **config: Any,
) -> Loaded:
    """The model of a folder (or of a name on the hub), with the weights that it lacks initialised.

    `kind` is the `transformers` class that reads the model, unless heads were removed from it; `config` changes its
    config. Weights whose names match `left_over` may be left over, those that match `new` may be missing: they are
    drawn by torch's generator as the class draws them. A copy of `tokenizer` takes the place of the folder's. Raises
    `InputError` for a file that is absent or broken, other weights that are missing, left over or of another shape,
    and a tokenizer that lacks or knows more than the model.
    """
    where = {"pretrained_model_name_or_path": str(folder), "local_files_only": offline, **NO_CODE}
    try:
        stored = AutoConfig.from_pretrained(**where)
        _check_kind_of_weights(folder, stored)
        if hasattr(stored, "kept_heads"):
            kind = FEWER_HEADS.get(stored.model_type, kind)
        with _without_reports():
            model, found = kind.from_pretrained(
                **where,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                **config,
            )
    except (OSError, ValueError, SafetensorError) as error:
        raise unreadable(folder, error) from error
    reshaped = {name for name, *_ in found["mismatched_keys"]}
    for what, names, allowed in (
        ("has weights of another shape than its config says", reshaped, new),
        ("lacks weights", found["missing_keys"], new),
        ("has weights that its config knows nothing of", found["unexpected_keys"], left_over),
    ):
        wrong = sorted(name for name in names if not allowed.search(name))
        if wrong:
            raise lacking(folder, wrong, what)
    for name, weight in model.named_parameters():
        if not weight.isfinite().all():
            raise InputError.at(
                folder, f"the weights {name} are not finite: the training diverged, or the file is damaged"
            )
    tokenizer = _tokenizer(folder, where) if tokenizer is None else copy.copy(tokenizer)
    highest, rows = max(tokenizer.get_vocab().values()), model.config.vocab_size
    if highest >= rows:
        raise InputError.at(
            folder, f"the tokenizer has ids up to {highest}, the model {rows} rows; take both from one run"
        )
    return Loaded(model.eval(), fit_inputs(model, tokenizer), sorted(reshaped.union(found["missing_keys"])))


def _check_kind_of_weights(folder: str | Path, config: PreTrainedConfig) -> None:
    """Raise `InputError` for weights that are quantised, or in a folder only in a form that may hold code."""
    if getattr(config, "quantization_config", None) is not None:
        raise InputError.at(
            folder, "quantised weights cannot be read; take the model in single or half precision"
        )
    if Path(folder).is_dir() and not any(Path(folder).glob("*.safetensors")):
        for pattern in ("*.bin", "*.h5", "*.msgpack", "*.ckpt*"):
            if found := next(Path(folder).glob(pattern), None):
                kind = (config.architectures or ["AutoModel"])[0]
                raise InputError.at(
                    folder,
                    f"its weights are in {found.name}, which is not loaded since it may hold code; where you trust it, "
                    f"convert it by transformers.{kind}.from_pretrained(FOLDER).save_pretrained(FOLDER)",
                )


def lacking(folder: str | Path, names: Sequence[str], what: str = "lacks weights") -> InputError:
    """The error for weights that do not fit their config."""
    return InputError.at(folder, f"{what}, {names[0]} for one; take config and weights from one run")


def _tokenizer(folder: str | Path, where: dict[str, Any]) -> PreTrainedTokenizerBase:
    """The tokenizer of a folder; `InputError` if there is none (transformers would create an empty one)."""
    trouble = None
    try:
        tokenizer = AutoTokenizer.from_pretrained(**where)
        missing = set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens)
    except Exception as error:  # the tokenizers library raises plain Exception, and transformers KeyError
        trouble, missing = error, True
    if missing:
        why = f" that can be loaded ({_first_line(trouble)})" if trouble else ""
        raise InputError.at(
            folder,
            f"the folder has no tokenizer{why}; save the one that the model was trained with there, "
            "by its `save_pretrained`",
        ) from trouble
    if tokenizer.is_fast:
        # some tokenizers are saved with truncation and padding (all-MiniLM-L6-v2: 128), which the backend applies
        tokenizer.backend_tokenizer.no_padding()
        tokenizer.backend_tokenizer.no_truncation()
    return tokenizer


@contextmanager
def _without_reports() -> Iterator[None]:
    """Suppress transformers' loading report on the terminal; its content is checked here."""
    messages.disable_progress_bar()
    before = messages.get_verbosity()
    messages.set_verbosity_error()
    try:
        yield
    finally:
        messages.set_verbosity(before)


def unreadable(folder: str | Path, error: Exception) -> InputError:
    """The error for a model that `transformers` could not load."""
    if isinstance(error, SafetensorError):
        return damaged(Path(folder) / WEIGHTS, error)
    return InputError.at(folder, f"is not a model that can be loaded: {_first_line(error)}")


def start_from(model: nn.Module, folder: str | Path) -> None:
    """Copy all weights of the checkpoint in `folder` into `model`.

    Raises `InputError` if the checkpoint is of another architecture or vocabulary.
    """
    path = Path(folder) / WEIGHTS
    own = dict(model.named_parameters())
    with open_weights(path) as file:
        check_weights(path, file, own, others=set(file.keys()) - set(dict(model.named_buffers())))
        for name, weight in own.items():
            weight.data.copy_(file.get_tensor(name))


@contextmanager
def open_weights(path: Path) -> Iterator[safe_open]:
    """A safetensors file, opened; `DamagedFile` if it is incomplete, and `InputError` if it cannot be read."""
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except SafetensorError as error:
        raise damaged(path, error) from error
    except OSError as error:
        raise InputError.at(path, f"the file cannot be read: {_first_line(error)}") from error


def check_weights(
    path: Path, file: safe_open, wanted: Mapping[str, Tensor], others: Set[str], table: str = ""
) -> None:
    """Raise `InputError` unless the file has all `wanted` weights in their shapes, and none of `others` besides.

    The matrix called `table` may have another number of rows.
    """
    remedy = "init_run must have the same architecture"
    names = set(file.keys())
    for name, weight in wanted.items():
        if name not in names:
            raise InputError.at(path, f"the file lacks the weights {name}; {remedy}")
        there, here = tuple(file.get_slice(name).get_shape()), tuple(weight.shape)
        if there != here and not (name == table and there[1:] == here[1:]):
            raise InputError.at(path, f"{name} is {there} there and {here} here; {remedy} and vocabulary")
    if left := others - set(wanted):
        raise InputError.at(path, f"the file has weights that the model lacks, {min(left)}; {remedy}")


def damaged(path: Path, error: SafetensorError) -> DamagedFile:
    """The error for incomplete weights."""
    return DamagedFile.at(path, f"these are no whole weights ({_first_line(error)})")


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
