"""Training against `Seq2SeqTrainer` as it comes, on real English-Russian lengths: speed, and loss for it.

Both train the same model from the same weights on as many target tokens, with the same rates. Theirs are
batches of 64 pairs drawn at random and padded; ours, without padding to speak of, can be half as large. Theirs is
timed from its second update on, ours with all it does around the updates.
"""

import gzip
import random
import time

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from torch.nn import functional
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    TrainerCallback,
)

from headwork.lens.anatomy import anatomy
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import GateSettings, LearnedGates, heads_with_gates
from headwork.models.numerics.plain_attention import attention
from headwork.models.numerics.product_times import bf16_pays
from headwork.models.objectives.translation import Translating
from headwork.models.training.batches import Collator, Side, TokenBudget, TranslationData
from headwork.models.training.train import train
from headwork.models.training.trainer import dev_scores
from headwork.shapes import KINDS

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

STEPS = 12
TOKENS = 800
RATE, WARMUP = 1e-3, 8
SHAPE = {
    "family": "marian",
    "encoder_layers": 3,
    "decoder_layers": 3,
    "heads": 8,
    "width": 256,
    "feed_forward": 1024,
}


@pytest.fixture(scope="module")
def pairs(real_data):
    """Tatoeba and WMT news, English and Russian, in an order of no meaning."""
    found = []
    for folder in "tatoeba", "wmt_news":
        for english in sorted((real_data / "parallel" / "en-ru" / folder).glob("*.en*")):
            russian = english.with_name(english.name.replace(".en", ".ru"))
            if russian.exists():
                sides = [read(path) for path in (english, russian)]
                found += [pair for pair in zip(*sides, strict=True) if all(pair)]
    if not found:
        pytest.skip(f"{real_data} has no English-Russian tatoeba or wmt_news")
    random.Random(0).shuffle(found)
    return found


def read(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")


@pytest.fixture(scope="module")
def given(pairs):
    """(tokenizer, training data, 400 pairs to be judged by)"""
    bpe = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    bpe.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    specials = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=specials, end_of_word_suffix="</w>", show_progress=False
    )
    bpe.train_from_iterator((side for pair in pairs for side in pair), trainer)
    bpe.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    sides = [
        [Side.encode(iter(side), tokenizer) for side in zip(*part, strict=True)]
        for part in (pairs[400:], pairs[:400])
    ]
    return tokenizer, *(TranslationData(*both, longest=128) for both in sides)


class Clock(TrainerCallback):
    """CPU seconds at the end of every update."""

    def __init__(self):
        self.times = []

    def on_step_end(self, args, state, control, **_):
        self.times.append(time.process_time())


class Counting(DataCollatorForSeq2Seq):
    """Their collator; notes the target tokens of each batch."""

    def __call__(self, features, return_tensors=None):
        batch = super().__call__(features, return_tensors)
        self.tokens = [*getattr(self, "tokens", []), int((batch["labels"] >= 0).sum())]
        return batch


@pytest.fixture(scope="module")
def theirs(given, tmp_path_factory):
    """(target tokens per CPU second, target tokens, loss on dev) of `Seq2SeqTrainer` in fp32"""
    tokenizer, data, dev = given
    torch.set_num_threads(1)
    model = build(SHAPE, tokenizer, 1)
    features = [
        {"input_ids": source.tolist(), "labels": target.tolist()}
        for source, target in map(data.__getitem__, range(20_000))
    ]
    clock, collator = Clock(), Counting(tokenizer, model)
    arguments = Seq2SeqTrainingArguments(
        str(tmp_path_factory.mktemp("theirs")),
        per_device_train_batch_size=64,
        max_steps=STEPS,
        learning_rate=RATE,
        warmup_steps=WARMUP,
        lr_scheduler_type="inverse_sqrt",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    Seq2SeqTrainer(
        model, arguments, train_dataset=features, data_collator=collator, callbacks=[clock]
    ).train()
    tokens = collator.tokens[:STEPS]
    speed = sum(tokens[1:]) / (clock.times[-1] - clock.times[0])
    return speed, sum(tokens), dev_scores(model.eval(), dev, Translating(Collator(0, 0)), 2000)[0]


def ours(given, budget, precision, folder):
    """(target tokens per CPU second, target tokens, loss on dev) of `train`, on at most `budget` target tokens"""
    tokenizer, data, dev = given
    model = build(SHAPE, tokenizer, 1)
    tokens = TokenBudget(data, TOKENS, 4 * STEPS, seed=1).target_tokens().cumsum()
    tokens = tokens[tokens <= budget]
    recipe = {
        "steps": len(tokens),
        "tokens_per_batch": TOKENS,
        "peak_rate": RATE,
        "warmup_steps": WARMUP,
        "betas": [0.9, 0.999],
        "epsilon": 1e-8,
        "label_smoothing": 0.0,
        "precision": precision,
        "evaluate_every": 1000,
        "checkpoint_every": 1000,
    }
    few = TranslationData(
        *(side.only(dev.source.lengths < 6) for side in (dev.source, dev.target)), longest=128
    )
    start = time.process_time()
    train(model, data, few, recipe, 1, folder, device="cpu")
    speed = tokens[-1] / (time.process_time() - start)
    return speed, int(tokens[-1]), dev_scores(model, dev, Translating(Collator(0, 0)), 2000)[0]


def show(name, mine, their):
    print(
        f"\n{name}: {mine[0]:.0f} target tokens per CPU second against {their[0]:.0f}: {mine[0] / their[0]:.2f} times"
    )
    print(f"loss on dev {mine[2]:.3f} after {mine[1]} tokens, {their[2]:.3f} after {their[1]}")


def test_single_precision(given, theirs, tmp_path, report):
    mine = ours(given, theirs[1], "fp32", tmp_path)
    show("fp32", mine, theirs)
    report("tokens a second / Seq2SeqTrainer, fp32", mine[0] / theirs[0], at_least=3.5)
    assert mine[2] <= theirs[2]


@pytest.mark.skipif(not bf16_pays(), reason="products in bf16 are not faster on this CPU")
def test_half_precision(given, theirs, tmp_path, report):
    mine = ours(given, theirs[1], "bf16", tmp_path / "bf16")
    show("bf16", mine, theirs)
    exact = ours(given, theirs[1], "fp32", tmp_path / "fp32")
    report("tokens a second / Seq2SeqTrainer, bf16 against fp32", mine[0] / theirs[0], at_least=4.3)
    assert mine[2] <= theirs[2]
    assert mine[2] == pytest.approx(exact[2], rel=0.01)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("width", [128, 512])
def test_gates_in_every_attention_cost_little(given, tmp_path, precision, width, report):
    """Target tokens per CPU second, gated against not: by turns, the same batches, the best of each."""
    if precision == "bf16" and not bf16_pays():
        pytest.skip("products in bf16 are not faster on this CPU")
    tokenizer, data, dev = given
    few = TranslationData(
        *(side.only(dev.source.lengths < 6) for side in (dev.source, dev.target)), longest=128
    )
    shape = {**SHAPE, "width": width, "feed_forward": 2 * width, "encoder_layers": 2, "decoder_layers": 2}
    steps = 4 if width > 128 else 10
    recipe = {"steps": steps, "tokens_per_batch": TOKENS, "precision": precision, "warmup_steps": WARMUP}

    def seconds(gated, name):
        model = build(shape, tokenizer, 1)
        heads = heads_with_gates(anatomy(model), KINDS)
        gates = LearnedGates(heads, GateSettings(), 1, penalty=0.01) if gated else None
        start = time.process_time()
        train(model, data, few, recipe, 1, tmp_path / name, device="cpu", gates=gates)
        return time.process_time() - start

    seconds(True, "first")  # what is computed once per shape of a batch is computed
    rounds = [(seconds(False, f"plain{n}"), seconds(True, f"gated{n}")) for n in range(3)]
    plain, gated = (min(times) for times in zip(*rounds, strict=True))
    report(f"tokens a second with gates / without, {precision}, width {width}", plain / gated, at_least=0.9)


@pytest.mark.skipif(not bf16_pays(), reason="products in bf16 are not faster on this CPU")
@pytest.mark.parametrize("head_dim", [16, 64])
def test_attention_is_faster_than_torchs_in_bf16(head_dim, report):
    """Forward and backward of masked attention: 40 sentences of 25 tokens, 8 heads."""
    given = [
        torch.randn(40, 25, 8, head_dim, dtype=torch.bfloat16).transpose(1, 2).requires_grad_()
        for _ in range(3)
    ]
    mask = torch.ones(40, 1, 25, 25, dtype=torch.bool)
    mask[..., -2:] = False
    slope = torch.randn(40, 8, 25, head_dim, dtype=torch.bfloat16)

    def seconds(compute):
        start = time.process_time()
        compute(*given, attn_mask=mask).backward(slope)
        return time.process_time() - start

    torch.set_num_threads(1)
    rounds = [(seconds(attention), seconds(functional.scaled_dot_product_attention)) for _ in range(7)]
    mine, their = (min(times) for times in zip(*rounds, strict=True))
    report(f"time of torch's attention / ours, bf16, head dimension {head_dim}", their / mine, at_least=1.5)
