"""Pretraining of a small BERT

Logits at masked positions only, against `transformers`' own loss over all positions, with the same model, batches,
masks and optimiser step: the difference is the table of logits at the other positions.
"""

import time

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from headwork.corpora.running_text.segments import Segment
from headwork.models.architectures.build import build
from headwork.models.numerics.cpu import plain_attention
from headwork.models.objectives.encoder_batches import EncoderCollator, MaskedSegments
from headwork.models.objectives.masking import Masking
from headwork.models.objectives.pretraining import pretraining_loss
from headwork.models.training.batches import Passes
from headwork.settings.models import MaskingSettings

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

VOCABULARY = 4000
SHAPE = {
    "family": "bert",
    "layers": 4,
    "heads": 4,
    "width": 128,
    "feed_forward": 256,
    "max_positions": 128,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def test_logits_at_masked_places_only(report):
    torch.set_num_threads(1)
    names = SPECIALS + [f"w{number}" for number in range(VOCABULARY - len(SPECIALS))]
    vocabulary = {name: number for number, name in enumerate(names)}
    roles = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIALS, strict=True))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]")),
        **{f"{role}_token": piece for role, piece in roles.items()},
    )
    chance = np.random.default_rng(0)
    made = (
        Segment(*(chance.integers(5, VOCABULARY, length).tolist() for length in chance.integers(10, 62, 2)))
        for _ in range(200)
    )
    data = MaskedSegments(made, tokenizer, Masking(tokenizer, MaskingSettings()), 1)
    collator = EncoderCollator(tokenizer)
    batches = [collator([data[number] for number in batch]) for batch in Passes(data, 1500, 4, seed=1)]
    model = build(SHAPE, tokenizer, 1).train()

    def mine(batch):
        found = pretraining_loss(model, batch)
        return found.loss / found.count

    def theirs(batch):
        return model(**batch).loss

    def seconds(loss_of):
        start = time.process_time()
        for batch in batches:
            loss_of(batch).backward()
            model.zero_grad()
        return time.process_time() - start

    with plain_attention():
        rounds = [(seconds(mine), seconds(theirs)) for _ in range(3)]
    ours, usual = (min(times) for times in zip(*rounds, strict=True))
    report("time with logits everywhere / at masked tokens only", usual / ours, at_least=1.3)
