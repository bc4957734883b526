"""Relevance against a plain forward pass

Both read the same batch, in turns in one process, on one thread, in CPU seconds.
Gradient times input on a classifier of BERT-base's width, one prediction a sentence; the alpha-beta rule on a
translation model of the miniature scale, all target steps of a batch.
"""

import json
import time
from collections.abc import Callable

import pytest
import torch
from own_process import measured
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PegasusConfig,
    PegasusForConditionalGeneration,
    PreTrainedModel,
)

from headwork.heads.streaming.batches import Batch, Side, single_batch, translation_batch
from headwork.relevance.propagation.lrp import head_relevance
from headwork.settings.relevance import LRPSettings

SENTENCES, TOKENS = {"bert": 4, "nmt": 28}, {"bert": 64, "nmt": 14}
REPETITIONS = {"bert": 10, "nmt": 3}

SETTINGS = {"bert": LRPSettings(rule="gradient"), "nmt": LRPSettings(bias="neuron", steps="together")}


def text(kind: str) -> Side:
    """Sentences of one length, without padding."""
    ids = torch.randint(3, 1000, (SENTENCES[kind], TOKENS[kind]))
    every = torch.ones_like(ids, dtype=torch.bool)
    return Side(ids, every, every, torch.arange(TOKENS[kind]).expand_as(ids))


def bert() -> tuple[PreTrainedModel, Batch]:
    config = BertConfig(vocab_size=1000, num_hidden_layers=4, num_labels=3)
    return BertForSequenceClassification(config).eval(), single_batch(text("bert"), "encoder")


def nmt() -> tuple[PreTrainedModel, Batch]:
    config = PegasusConfig(
        vocab_size=2000,
        d_model=128,
        encoder_layers=4,
        decoder_layers=1,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=256,
        decoder_ffn_dim=256,
        max_position_embeddings=128,
        activation_function="relu",
        init_std=128**-0.5,
        scale_embedding=True,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        forced_eos_token_id=1,
    )
    model = PegasusForConditionalGeneration(config).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.1)
    return model, translation_batch(text("nmt"), text("nmt"), 0)


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def ratio(kind: str) -> float:
    """The best time of relevance over the best of forward passes in turn with it."""
    torch.manual_seed(0)
    model, batch = {"bert": bert, "nmt": nmt}[kind]()

    def forward() -> None:
        with torch.no_grad():
            model(**batch.inputs, **({"use_cache": False} if kind == "nmt" else {}))

    def relevance() -> None:
        head_relevance(model, [batch], SETTINGS[kind], kinds=["encoder"])

    seconds(relevance)
    pairs = [(seconds(forward), seconds(relevance)) for _ in range(REPETITIONS[kind])]
    # other work on the machine makes all but the best times longer
    return min(after for _, after in pairs) / min(before for before, _ in pairs)


@pytest.mark.benchmark
@pytest.mark.slow
def test_relevance_costs_a_few_forward_passes(report):
    """Of a translation model fifteen for a batch, and one more for eight of its sentences."""
    found = measured(__file__)
    report("AttnLRP of a BERT / forward pass", found["bert"], at_most=1.9)
    report(
        "LRP of a translation model (alphabeta, bias neuron, steps together) / forward pass",
        found["nmt"],
        at_most=15 + SENTENCES["nmt"] / 8,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps({kind: ratio(kind) for kind in SETTINGS}))
