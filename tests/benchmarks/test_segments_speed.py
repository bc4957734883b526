"""Statistics of segments, and word-level maps

Against a plain forward pass, and against loops, in CPU seconds on one thread.
A model of BERT-base's shape reads segments of 128 subword tokens; of every head all that figures 2 and 4 of Clark et
al. (2019) show is measured in one pass. Maps between words are made for all heads at once, and head by head and word by
word. Run this file by itself to see what distances between all pairs of heads cost too.
"""

import json
import time

import numpy as np
import pytest
import torch
from own_process import measured
from transformers import BertConfig, BertModel

from headwork.heads.statistics.divergence import JensenShannon
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.surface import Surface
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.word_attention import WordLevel
from headwork.settings.heads import DistanceSettings, PublishedEntropy

SEGMENTS, PIECES, VOCABULARY = 8, 128, 1000
REPETITIONS = 4
TABLE = TokenClasses(CLASSES, torch.tensor([3, 0, 1, 2, 2, *[3] * (VOCABULARY - 5)]))


def bert_base() -> BertModel:
    torch.manual_seed(0)
    return BertModel(BertConfig(vocab_size=VOCABULARY), add_pooling_layer=False).eval()


def segments() -> Batch:
    """[CLS] A [SEP] B [SEP], of one length."""
    ids = torch.randint(3, VOCABULARY, (SEGMENTS, PIECES), generator=torch.manual_seed(1))
    ids[:, 0], ids[:, 60], ids[:, -1] = 1, 2, 2
    return single_batch(Side(ids, ids > 0, ids > 2, ids), "encoder")


def seconds() -> dict[str, list[float]]:
    """CPU seconds of a plain pass, of one with figures 2 and 4, and of one with figure 6 on an eighth of the tokens."""
    model, batch = bert_base(), segments()
    ways = {
        "plain": lambda: model(**batch.inputs),
        "figures 2 and 4": lambda: measure(model, [batch], [Surface(TABLE), Entropy(PublishedEntropy())]),
        "figures 2, 4 and 6": lambda: measure(
            model,
            [batch],
            [
                Surface(TABLE),
                Entropy(PublishedEntropy()),
                JensenShannon(DistanceSettings(tokens=PIECES // 8)),
            ],
        ),
    }
    model(**{name: tensor[:1] for name, tensor in batch.inputs.items()})
    found: dict[str, list[float]] = {name: [] for name in ways}
    for repetition in range(REPETITIONS):
        for name in list(ways)[:: 1 if repetition % 2 else -1]:
            start = time.process_time()
            ways[name]()
            found[name].append(time.process_time() - start)
    return found


def words_by_loops(maps: torch.Tensor, words: list[int]) -> torch.Tensor:
    """For each head and each two words the mean over the one's pieces of the sum over the other's."""
    pieces = [
        [place for place, word in enumerate(words) if word == number] for number in range(max(words) + 1)
    ]
    found = torch.zeros(len(maps), len(pieces), len(pieces))
    for head in range(len(maps)):
        for one, own in enumerate(pieces):
            for other, theirs in enumerate(pieces):
                found[head, one, other] = maps[head, own][:, theirs].sum(1).mean()
    return found


@pytest.mark.benchmark
@pytest.mark.slow
def test_all_of_two_figures_cost_at_most_half_a_pass(report):
    found = measured(__file__)
    for name, limit in (("figures 2 and 4", 1.5), ("figures 2, 4 and 6", None)):
        ratios = [own / plain for own, plain in zip(found[name], found["plain"], strict=True)]
        report(f"time of a pass with {name} / plain pass", ratios, at_most=limit)


@pytest.mark.benchmark
def test_words_maps_of_all_heads_at_once(report):
    generator = torch.manual_seed(0)
    maps = torch.rand(1, 12, PIECES, PIECES, generator=generator).softmax(-1)
    words = (torch.rand(1, PIECES, generator=generator) < 0.9).cumsum(1) - 1
    words = words.clamp_min(0)
    wanted = torch.arange(int(words.max()) + 1)[None]
    start = time.process_time()
    level = WordLevel(words, words, wanted)
    for _ in range(20):
        fast = level.maps(maps, slice(0, 1))
    at_once = (time.process_time() - start) / 20
    start = time.process_time()
    slow = words_by_loops(maps[0], words[0].tolist())
    looped = time.process_time() - start
    np.testing.assert_allclose(fast[0].transpose(0, 1), slow, atol=1e-6)
    report("time of word-level maps by loops / at once", looped / at_once, at_least=100)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.inference_mode():
        print(json.dumps(seconds()))
