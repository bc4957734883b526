"""Language models with the encoder of a translation model and a small head.

Voita, Sennrich & Titov (2019b) compare encoders of one class, shape and initial state, trained to translate, to predict
the next token (LM, with causal attention) and to predict masked ones (MLM). Here the encoder of all three is that of
the translation family, with the initial weights that `build` gives the translation model of the same seed. The
probability of a subword token is

    p(subword token) = softmax(E (W h + b) + c)

with h the encoder's last state, normalised if it is pre-norm, E the embeddings, and c a bias that excludes tokens that
are not in its text (`output_pieces`).
"""

from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.modeling_outputs import BaseModelOutput, MaskedLMOutput
from transformers.models.marian.modeling_marian import MarianEncoder, MarianPreTrainedModel
from transformers.models.pegasus.modeling_pegasus import PegasusEncoder, PegasusPreTrainedModel

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.models.architectures.build import FAMILIES, build
from headwork.settings.base import require
from headwork.sites import Ids, Vectors

MASK = "<mask>"


class _Causal:
    """Mixin for an encoder with causal attention; precedes the encoder's class."""

    def forward(self, *given: Any, **named: Any) -> BaseModelOutput:
        with Lens(self) as lens, lens.causal():
            return super().forward(*given, **named)


class CausalMarianEncoder(_Causal, MarianEncoder):
    """`MarianEncoder` with causal attention."""


class CausalPegasusEncoder(_Causal, PegasusEncoder):
    """`PegasusEncoder` with causal attention."""


class _LanguageModel:
    """Mixin for an encoder (causal if the config says so) with a head; precedes the family's model class."""

    encoders: tuple[type, type]

    def __init__(self, config: PreTrainedConfig) -> None:
        super().__init__(config)
        self.model = self.encoders[bool(config.causal)](config)
        self.head = nn.Linear(config.d_model, config.d_model)
        # c above, by the name that translation models have for it
        self.register_buffer("final_logits_bias", torch.zeros(1, config.vocab_size))
        self.post_init()

    @property
    def embeddings(self) -> Float[Tensor, "vocabulary hidden"]:
        """E above."""
        return self.model.embed_tokens.weight

    def forward(
        self, input_ids: Ids | None = None, attention_mask: Tensor | None = None, **named: Any
    ) -> MaskedLMOutput:
        """Return the logits at each position: of the next token (LM) or of the token itself (MLM)."""
        found = self.model(input_ids=input_ids, attention_mask=attention_mask, **named)
        states: Vectors = found.last_hidden_state
        logits = self.head(states) @ self.embeddings.T + self.final_logits_bias
        return MaskedLMOutput(logits=logits, hidden_states=found.hidden_states, attentions=found.attentions)


class MarianLanguageModel(_LanguageModel, MarianPreTrainedModel):
    """A language model with Marian's encoder."""

    encoders = (MarianEncoder, CausalMarianEncoder)


class PegasusLanguageModel(_LanguageModel, PegasusPreTrainedModel):
    """A language model with Pegasus's encoder."""

    encoders = (PegasusEncoder, CausalPegasusEncoder)


LANGUAGE_MODELS: Mapping[str, type[PreTrainedModel]] = {
    "marian": MarianLanguageModel,
    "pegasus": PegasusLanguageModel,
}


def build_language_model(
    architecture: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase, seed: int, causal: bool
) -> MarianLanguageModel | PegasusLanguageModel:
    """An untrained language model whose encoder is that of the untrained translation model of that seed.

    The head is drawn by the seed too. Raises InputError for an architecture that is not one of translation.
    """
    family = architecture.get("family")
    require(
        family in FAMILIES,
        f"architecture: a language model has an encoder of translation, {' or '.join(FAMILIES)}, not '{family}'",
    )
    translating = build(architecture, tokenizer, seed)
    config = type(translating.config).from_dict(translating.config.to_dict())
    config.is_encoder_decoder, config.causal = False, causal
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LANGUAGE_MODELS[config.model_type](config)
        nn.init.xavier_uniform_(model.head.weight)
        nn.init.zeros_(model.head.bias)
    missing = model.model.load_state_dict(translating.get_encoder().state_dict())
    if missing.missing_keys or missing.unexpected_keys:
        raise InputError(f"architecture: the encoder of a {family} is not that of its language model")
    return model.eval()


@torch.no_grad()
def add_mask(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, seed: int) -> None:
    """Append a mask token to model and tokenizer, with an embedding initialised like the others."""
    tokenizer.add_special_tokens({"mask_token": MASK})
    had = model.embeddings
    chance = torch.Generator().manual_seed(seed)
    drawn = torch.randn(len(tokenizer) - len(had), had.shape[1], generator=chance) * had.std()
    model.model.embed_tokens = nn.Embedding.from_pretrained(
        torch.cat([had, drawn]), freeze=False, padding_idx=model.config.pad_token_id
    )
    model.final_logits_bias = torch.zeros(1, len(tokenizer))
    model.config.vocab_size = len(tokenizer)
    model.model.config.vocab_size = len(tokenizer)
