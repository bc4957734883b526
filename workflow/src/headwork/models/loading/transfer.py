"""Initialisation of an encoder from a run with another language pair and vocabulary (Raganato & Tiedemann 2018).

The encoder's layers are copied. Embeddings are copied token by token, matched by their strings, since the two
vocabularies number them differently (as in Zoph et al. 2016, and Nguyen & Chiang 2017, for a shared script); tokens
that the other run lacks are newly initialised. Source, target and output share one embedding matrix. A frozen encoder
therefore keeps the rows of its tokens fixed, while the rows of other target tokens are learned.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.models.loading.checkpoints import WEIGHTS, check_weights, open_weights, read_tokenizer

log = logging.getLogger(__name__)

Pieces = Int[np.ndarray, " piece"]


def start_encoder_from(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: str | Path
) -> Pieces:
    """Copy the encoder of the run in `folder` into `model`, in place; return the tokens that both vocabularies share.

    Raises `InputError` if that run's encoder is of another shape, or has no pieces in common with this vocabulary.
    """
    path = Path(folder) / WEIGHTS
    embeddings = model.get_input_embeddings().weight
    parts = {
        name: weight
        for name, weight in model.named_parameters()
        if name.startswith("model.encoder.") and weight is not embeddings
    }
    (table,) = [name for name, weight in model.named_parameters() if weight is embeddings]
    own, theirs = tokenizer.get_vocab(), read_tokenizer(Path(folder) / "tokenizer.json").get_vocab()
    common = sorted(set(own) & set(theirs), key=own.get)
    special = set(tokenizer.all_special_tokens)
    if not set(common) - special:
        raise InputError.at(
            path,
            "the file shares no token with this vocabulary; learn the subwords of this corpus on that one's source too",
        )
    with open_weights(path) as file:
        layers = {name for name in set(file.keys()) if name.startswith("model.encoder.layers.")}
        check_weights(path, file, {**parts, table: embeddings}, layers, table)
        for name, weight in parts.items():
            weight.data.copy_(file.get_tensor(name))
        rows = torch.tensor([theirs[piece] for piece in common])
        taken = torch.tensor([own[piece] for piece in common])
        embeddings.data[taken] = file.get_tensor(table)[rows].to(embeddings)
    log.info("the encoder of %s, and the embeddings of %d of %d pieces", folder, len(common), len(own))
    return taken.numpy()


def encoder_layers(model: PreTrainedModel) -> list[nn.Module]:
    """The parts of the encoder behind its embeddings, which are the decoder's too."""
    encoder = model.get_encoder()
    return [child for child in encoder.children() if child is not encoder.get_input_embeddings()]


@contextmanager
def keeping_rows(weight: nn.Parameter, rows: Sequence[int] | Pieces) -> Iterator[None]:
    """Give these rows of a matrix no gradient in the block, so that Adam without weight decay keeps them."""
    chosen = torch.as_tensor(np.asarray(rows, dtype=np.int64))

    def without(gradient: Tensor) -> Tensor:
        return gradient.index_fill(0, chosen.to(gradient.device), 0.0)

    hook = weight.register_hook(without)
    try:
        yield
    finally:
        hook.remove()
