"""The masked-language-modelling head of an encoder: loaded with it, new, or trained alone.

An encoder may be published without this head. transformers then adds a random one and only reports it; here the caller
trains the head or does without it. With a frozen encoder only the head's own weights are trained: in BERT a linear
layer, its normalisation, and a bias for each token; the matrix of its last layer is the encoder's embeddings. The class
that a folder's config names says whether it has the head: BertModel without, BertForMaskedLM with.
"""

from pathlib import Path

import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel, PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.models.loading import checkpoints, hub
from headwork.models.loading.kinds import MASKED_LM, PRETRAINING, kind_of


def load_masked(name: str | Path, seed: int, offline: bool = False) -> checkpoints.Loaded:
    """The encoder of a folder (or a name: `hub.load`) with its masked-LM head, or a new one drawn by the seed.

    `new` are the names of the head's weights if it is new. Raises `InputError` as `hub.load` does, and for an
    incomplete head.
    """
    with hub.place(name, offline) as found, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        loaded = checkpoints.load_with_new(
            found, AutoModelForMaskedLM, offline, left_over=hub.HEADS, new=hub.HEADS
        )
    head = weights_of_head(loaded.model)
    if loaded.new and not set(head) <= set(loaded.new):
        raise checkpoints.lacking(name, loaded.new)
    return loaded._replace(new=head if loaded.new else [])


def untrained(like: PreTrainedModel, seed: int) -> PreTrainedModel:
    """A masked language model of the same config, with weights drawn by the seed as its class draws them."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return AutoModelForMaskedLM.from_config(like.config).eval()


def has_head(folder: str | Path) -> bool:
    """Whether the model of a folder has a masked-LM head, by its class; errors as `hub.class_of`."""
    return kind_of(hub.class_of(folder)) in (MASKED_LM, PRETRAINING)


def weights_of_head(model: PreTrainedModel) -> list[str]:
    """The names of the head's own weights, without embeddings shared with the encoder."""
    encoder = {id(weight) for weight in model.base_model.parameters()}
    return [name for name, weight in model.named_parameters() if id(weight) not in encoder]


@torch.no_grad()
def start_from_encoder(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: str | Path
) -> None:
    """Copy the encoder of the run in `folder`, which may have no head, into `model`; the head is unchanged.

    Raises `InputError` if that run's encoder is of another shape or vocabulary, and as `hub.load` does.
    """
    encoder, theirs = hub.load(folder, type(model.base_model))
    if theirs.get_vocab() != tokenizer.get_vocab():
        raise InputError.at(
            folder, "its encoder has another vocabulary; name an encoder with the same tokenizer"
        )
    there = dict(encoder.named_parameters())
    for name, weight in model.base_model.named_parameters():
        if hub.POOLER.search(name) and name not in there:
            continue  # weights of next-sentence prediction; an encoder without it has none
        shape = tuple(there[name].shape) if name in there else None
        if shape != tuple(weight.shape):
            raise InputError.at(
                folder,
                f"{name} is {shape} there and {tuple(weight.shape)} here; take an encoder of the same architecture",
            )
        weight.copy_(there[name])
