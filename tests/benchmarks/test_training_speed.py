"""Training, against OpenNMT-py and `Seq2SeqTrainer`

All train on the same pairs and subword tokens of the miniature world. One model for the three tools: six encoder and
two decoder layers of 8 heads, width 128, feed-forward 256 in both stacks (OpenNMT-py has one size for both; the
miniature model's decoder is narrower), tied embeddings, 4,000 tokens, no dropout, label smoothing 0.1, Adam, fp32.
Batches are of at most 2,000 target tokens; `Seq2SeqTrainer` gets as many pairs at random as that is on average. Ours
is also timed with the output layer that its jobs have, restricted to the target side's tokens. All are timed from
their second update on. Then the miniature's own model, recipe and output layer, with gates in every
attention and without.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pytest
import torch
from miniature import CONFIG, RECIPE, SHAPE, pairs, write_corpus
from own_process import measured
from page import rounded
from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback

from headwork.lens.anatomy import anatomy
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import LearnedGates, heads_with_gates
from headwork.models.loading.checkpoints import read_tokenizer
from headwork.models.objectives.output_pieces import limit_outputs
from headwork.models.objectives.translation import Translating
from headwork.models.training.batches import TranslationData
from headwork.models.training.train import train
from headwork.settings.models import GateSettings
from headwork.sites import KINDS

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

SENTENCES, STEPS, TOKENS = 8000, 16, RECIPE["tokens_per_batch"]
REPETITIONS = 3
WIDE = {**SHAPE, "decoder_heads": SHAPE["heads"], "decoder_feed_forward": SHAPE["feed_forward"]}
PLAIN = {
    "steps": STEPS,
    "tokens_per_batch": TOKENS,
    "peak_rate": 1e-3,
    "warmup_steps": 8,
    "label_smoothing": 0.1,
    "precision": "fp32",
    "clip": 0,
    "evaluate_every": 10_000,
    "checkpoint_every": 10_000,
}
OWN = RECIPE | {"steps": STEPS, "warmup_steps": 8, "evaluate_every": 10_000, "checkpoint_every": 10_000}


def data_of(folder: Path) -> tuple[object, TranslationData, TranslationData]:
    """Tokenizer, training data, and eight pairs for the evaluations that a training cannot do without."""
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    files = [[folder / f"{split}.{side}.txt" for side in ("source", "target")] for split in ("train", "dev")]
    return tokenizer, *(TranslationData.read(*both, tokenizer, 128) for both in files)


def write_tokens(folder: Path, tokenizer, data: TranslationData) -> None:
    """Both sides as OpenNMT-py reads them: tokens between spaces, EOS left to it; and its vocabulary."""
    names = [f"t{number}" for number in range(len(tokenizer))]
    for side in ("source", "target"):
        lines = (
            " ".join(names[piece] for piece in own[:-1])
            for own in map(getattr(data, side).__getitem__, range(len(data)))
        )
        (folder / f"train.{side}.tokens").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "vocabulary.txt").write_text("".join(f"{name}\t1\n" for name in names), encoding="utf-8")


class Clock(TrainerCallback):
    """CPU seconds at the end of every update."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_step_end(self, args, state, control, **_) -> None:
        self.times.append(time.process_time())


class Counting(DataCollatorForSeq2Seq):
    """Their collator; notes the target tokens of each batch."""

    tokens: list[int]

    def __call__(self, features, return_tensors=None):
        batch = super().__call__(features, return_tensors)
        self.tokens.append(int((batch["labels"] >= 0).sum()))
        return batch


def trainer(folder: Path) -> float:
    """Target tokens per CPU second of `Seq2SeqTrainer`."""
    tokenizer, data, _ = data_of(folder)
    model = build(WIDE, tokenizer, 1)
    rows = [data[pair] for pair in range(len(data))]
    features = [{"input_ids": source.tolist(), "labels": target.tolist()} for source, target in rows]
    clock, collator = Clock(), Counting(tokenizer, model)
    collator.tokens = []
    arguments = Seq2SeqTrainingArguments(
        str(folder / "trainer"),
        per_device_train_batch_size=round(TOKENS / np.mean([len(target) for _, target in rows])),
        max_steps=STEPS,
        learning_rate=PLAIN["peak_rate"],
        label_smoothing_factor=0.1,
        max_grad_norm=0,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    Seq2SeqTrainer(
        model, arguments, train_dataset=features, data_collator=collator, callbacks=[clock]
    ).train()
    return sum(collator.tokens[1:STEPS]) / (clock.times[-1] - clock.times[0])


@contextmanager
def updates() -> Iterator[list[tuple[float, int]]]:
    """The clock at the begin of every update's loss, and its target tokens."""
    noted, loss = [], Translating.loss

    def noting(self, model, batch):
        start, found = time.process_time(), loss(self, model, batch)
        noted.append((start, found.count))
        return found

    with mock.patch.object(Translating, "loss", noting):
        yield noted


def speed(folder: Path, shape: dict, recipe: dict, limited: bool = False, gated: bool = False) -> float:
    """Target tokens per CPU second of `train`, from its second update on."""
    tokenizer, data, dev = data_of(folder)
    model = build(shape, tokenizer, 1)
    if limited:
        limit_outputs(model, np.unique(data.target.pieces))
    heads = heads_with_gates(anatomy(model), KINDS)
    how = GateSettings.read(CONFIG["recipes"]["gated"]["gates"], "gates")
    gates = LearnedGates(heads, how, 1, penalty=0.01) if gated else None
    with TemporaryDirectory() as work, updates() as noted:
        train(model, data, dev, recipe, 1, work, device="cpu", gates=gates)
    times, tokens = zip(*noted, strict=True)
    return sum(tokens[1:-1]) / (times[-1] - times[1])


PLAINLY = {"one model": (WIDE, PLAIN), "ours with its output layer": (WIDE, PLAIN, True)}
OWNS = {
    "plain": (SHAPE, OWN, True),
    "gated": (SHAPE, OWN, True, True),
}


def by_turns(folder: Path, ways: dict[str, tuple], repetitions: int) -> dict[str, list[float]]:
    """Speeds of our trainings in turn, after a short one in which what is computed once per shape of a batch is."""
    for way in ways.values():
        speed(folder, way[0], way[1] | {"steps": 3}, *way[2:])
    found: dict[str, list[float]] = {way: [] for way in ways}
    for repetition in range(repetitions):
        for way in list(ways)[:: 1 if repetition % 2 else -1]:
            found[way].append(speed(folder, *ways[way]))
    return found


PARTS = {
    "trainer": trainer,
    "plainly": lambda folder: by_turns(folder, PLAINLY, 1),
    "own": lambda folder: by_turns(folder, OWNS, REPETITIONS),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A corpus of the miniature world, in text and in tokens."""
    folder = tmp_path_factory.mktemp("training")
    given = pairs(SENTENCES)
    write_corpus(folder, {"train": given[8:], "dev": given[:8]})
    tokenizer, data, _ = data_of(folder)
    write_tokens(folder, tokenizer, data)
    return folder


def compared(report, folder: Path, peer: str, theirs: Callable[[], float]) -> None:
    """Each repetition of ours beside one of theirs, as a shared machine is not always as fast."""
    rounds = [(measured(__file__, "plainly", folder), theirs()) for _ in range(REPETITIONS)]
    for way, target in zip(PLAINLY, (1.5, None), strict=True):
        figures = [
            rounded(max(each))
            for each in zip(*((ours[way][0], their) for ours, their in rounds), strict=True)
        ]
        report(
            f"tokens a second / {peer}, {way}, Adam, fp32",
            [ours[way][0] / their for ours, their in rounds],
            at_least=target,
            figures=f"{' and '.join(figures)} tokens per CPU second",
            why="seven tenths of our update are matrix products (`torch.profiler`), which both compute alike",
        )


def test_against_seq2seq_trainer(folder, report):
    compared(report, folder, "`Seq2SeqTrainer`", lambda: measured(__file__, "trainer", folder))


def test_against_opennmt(folder, report):
    shape = json.dumps(WIDE)
    compared(
        report,
        folder,
        "OpenNMT-py",
        lambda: measured("train_opennmt.py", folder, shape, TOKENS, STEPS, peers=True)["speed"],
    )


def test_gates_in_every_attention_cost_little(folder, report):
    """By turns, the same batches, the best of each."""
    own = measured(__file__, "own", folder)
    gated, plain = max(own["gated"]), max(own["plain"])
    figures = f"{rounded(gated)} and {rounded(plain)} tokens per CPU second"
    report(
        "tokens a second with gates / without, the miniature's recipe",
        gated / plain,
        at_least=0.9,
        figures=figures,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(PARTS[sys.argv[1]](Path(sys.argv[2]))))
