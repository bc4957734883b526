"""Statistics through the lens against a plain forward pass, and against maps that are kept and reduced afterwards.

A model of BERT-base's shape reads 32 sentences of 128 tokens; of every head the confidence, the entropy and the
arg-max offsets are measured. Each variant runs in a process of its own for its peak memory; for time they take turns
in one process, on one thread, in CPU seconds. Run this file with a variant's name to see one alone.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.offsets import Offsets, OffsetSettings
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.heads.streaming.measure import measure

SENTENCES, TOKENS = 32, 128
WINDOW = 3
REPETITIONS = 5

# Freed memory stays with the process, as in every job that the Makefile starts; else a pass pays for new pages, more or
# less as the machine's memory happens to lie.
KEEPING = {
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
# Every larger tensor gets pages of its own and gives them back, so that the peak is what is in use at once and not how
# freed memory happened to be cut up (glibc; without this a figure varies by a fifth).
GIVING_BACK = {"MALLOC_MMAP_THRESHOLD_": str(2**18)}

Table = dict[str, list[list[float]]]
"""For confidence, entropy and each offset one number per layer and head."""


def bert_base(implementation: str) -> BertModel:
    torch.manual_seed(0)
    config = BertConfig(vocab_size=1000, attn_implementation=implementation)
    return BertModel(config, add_pooling_layer=False).eval()


def text(sentences: int = SENTENCES) -> Batch:
    """Sentences of one length, every token a word of its own."""
    torch.manual_seed(1)
    ids = torch.randint(0, 1000, (sentences, TOKENS))
    every = torch.ones_like(ids, dtype=torch.bool)
    return single_batch(Side(ids, every, every, torch.arange(TOKENS).expand_as(ids)), "encoder")


def plain(model: BertModel, batch: Batch) -> Table:
    model(**batch.inputs)
    return {}


def through_the_lens(model: BertModel, batch: Batch) -> Table:
    measured = measure(model, [batch], [Confidence(), Entropy(), Offsets(OffsetSettings(window=WINDOW))])
    measured = measured[measured["statistic"] != "last"]
    names = measured["statistic"] + measured["key"]
    return {
        name: rows.pivot(index="layer", columns="head", values="value").to_numpy().tolist()
        for name, rows in measured.groupby(names)
    }


def kept_maps(model: BertModel, batch: Batch) -> Table:
    table: dict[str, list] = {}
    for layer in model(**batch.inputs, output_attentions=True).attentions:
        weights = layer.numpy()
        logs = np.log(np.maximum(weights, np.finfo(np.float32).tiny))
        offset = weights.argmax(-1) - np.arange(TOKENS)
        row = {"confidence": weights.max(-1).mean((0, 2)), "entropy": -(weights * logs).sum(-1).mean((0, 2))}
        for d in range(-WINDOW, WINDOW + 1):
            possible = SENTENCES * (TOKENS - abs(d))
            row[f"offset{d:+d}" if d else "offset0"] = (offset == d).sum((0, 2)) / possible
        for name, heads in row.items():
            table.setdefault(name, []).append(heads.tolist())
    return table


VARIANTS: dict[str, tuple[Callable[[BertModel, Batch], Table], str]] = {
    "plain": (plain, "sdpa"),
    "lens": (through_the_lens, "sdpa"),
    "maps": (kept_maps, "eager"),
}


def peak_memory(variant: str) -> dict[str, object]:
    """Extra MiB at the highest point of one pass, after a small pass has loaded the libraries' own buffers."""
    run, implementation = VARIANTS[variant]
    model, batch = bert_base(implementation), text()
    run(model, text(1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table = run(model, batch)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"extra": (after - before) / 1024, "table": table}


def cpu_seconds() -> dict[str, list[float]]:
    """CPU seconds of a plain pass and of one through the lens, taking turns, after one of each."""
    model, batch = bert_base("sdpa"), text()
    seconds: dict[str, list[float]] = {"plain": [], "lens": []}
    for name in seconds:
        VARIANTS[name][0](model, batch)
    for repetition in range(REPETITIONS):
        for name in list(seconds)[:: 1 if repetition % 2 else -1]:
            start = time.process_time()
            VARIANTS[name][0](model, batch)
            seconds[name].append(time.process_time() - start)
    return seconds


def in_own_process(what: str) -> dict:
    """Run this file with one argument and read the JSON it prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    environment |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    environment |= KEEPING if what == "time" else GIVING_BACK
    result = subprocess.run(
        [sys.executable, __file__, what], check=True, capture_output=True, text=True, env=environment
    )
    return json.loads(result.stdout)


@pytest.mark.benchmark
@pytest.mark.slow
def test_statistics_cost_at_most_a_twentieth_more_than_a_plain_pass(report):
    seconds = in_own_process("time")
    # other work on the machine makes all but the best times longer
    ratio = min(seconds["lens"]) / min(seconds["plain"])
    report("time of a pass with all statistics / plain SDPA pass, best of each", ratio, at_most=1.05)


@pytest.mark.benchmark
@pytest.mark.slow
def test_statistics_take_at_most_two_fifths_of_the_memory_of_kept_maps(report):
    lens, maps = in_own_process("lens"), in_own_process("maps")
    report(
        "memory of `output_attentions=True` / ours, beyond the model",
        maps["extra"] / lens["extra"],
        at_least=2.5,
    )
    assert lens["table"].keys() == maps["table"].keys()
    for name, values in lens["table"].items():
        # Another order of summation may turn a near tie: an arg-max in ten thousand, no more.
        tolerance = 1e-4 if name.startswith("offset") else 0
        np.testing.assert_allclose(values, maps["table"][name], rtol=1e-5, atol=tolerance, err_msg=name)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.inference_mode():
        print(json.dumps(cpu_seconds() if sys.argv[1] == "time" else peak_memory(sys.argv[1])))
