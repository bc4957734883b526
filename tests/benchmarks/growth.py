"""How time and memory grow: one phase's work at several sizes, in a process of its own.

As a program: the name of one of `PHASES`; prints, by size, CPU seconds and MiB beyond what the process held before.
Models are small, so that growth and not the model's own products is what is seen: two layers of four heads, width 64,
texts of 16 tokens, where nothing else is said.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
from memory import forget_peak, peak

VOCABULARY, AT_ONCE = 500, 64

Work = Callable[[], object]


def model_of(layers: int = 2, heads: int = 4, width: int = 64, classes: bool = False) -> Any:
    """A random BERT that reads up to 2,048 tokens."""
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        hidden_size=width,
        intermediate_size=2 * width,
        max_position_embeddings=2048,
    )
    model = BertForSequenceClassification(config).eval()
    return model if classes else model.bert


def batches(sentences: int, tokens: int) -> Iterator[Any]:
    """Random texts in batches of at most 64, made as they are asked for."""
    from headwork.heads.streaming.batches import Side, single_batch

    for start in range(0, sentences, AT_ONCE):
        ids = torch.randint(0, VOCABULARY, (min(AT_ONCE, sentences - start), tokens))
        every = torch.ones_like(ids, dtype=torch.bool)
        yield single_batch(Side(ids, every, every, torch.arange(tokens).expand_as(ids)), "encoder")


def heads(sentences: int = 1, tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """Confidence and entropy of every head."""
    from headwork.heads.statistics.confidence import Confidence
    from headwork.heads.statistics.entropy import Entropy
    from headwork.heads.streaming.measure import measure

    model = model_of(layers, own, width)
    return lambda: measure(model, batches(sentences, tokens), [Confidence(), Entropy()])


def distances(layers: int) -> Work:
    """Jensen-Shannon distances between all pairs of heads, 12 a layer, on four texts of 32 tokens."""
    from headwork.heads.statistics.divergence import JensenShannon
    from headwork.heads.streaming.measure import measure

    model = model_of(layers, 12, 96)
    return lambda: measure(model, batches(4, 32), [JensenShannon()])


def relevance(sentences: int = 1, tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """AttnLRP of a class."""
    from headwork.relevance.propagation.lrp import head_relevance
    from headwork.settings.relevance import LRPSettings

    model = model_of(layers, own, width, classes=True)
    return lambda: head_relevance(model, batches(sentences, tokens), LRPSettings(rule="gradient"))


def attribution(tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """Self-attention attribution of all layers of one text, 8 nodes each."""
    from headwork.relevance.attributions.self_attention import attributions
    from headwork.relevance.attributions.targets import of_class
    from headwork.settings.relevance import AttributionSettings

    model = model_of(layers, own, width, classes=True)
    inputs = next(batches(1, tokens)).inputs
    settings = AttributionSettings(rule="right", steps=8)
    return lambda: list(attributions(model, inputs, of_class(model, torch.tensor([1])), settings=settings))


def disabling(layers: int) -> Work:
    """Every head disabled once, from its layer on, for one text of 32 tokens; 12 heads a layer."""
    from headwork.lens.lens import Lens
    from headwork.lens.prefix import Prefix

    model = model_of(layers, 12, 96)
    batch = next(batches(1, 32)).inputs

    def run() -> None:
        with Lens(model) as lens, torch.no_grad():
            prefix = Prefix(model)
            with prefix.recording():
                model(**batch)
            for site in lens.anatomy.sites:
                for head in range(1, 13):
                    with prefix.up_to(site), lens.uniform([site.head(head)]):
                        model(**batch)

    return run


def training(tokens: int) -> Work:
    """An update of a translation model of the miniature shape on 2,048 tokens a side, in texts of one length."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    from headwork.models.architectures.build import build
    from headwork.models.numerics.cpu import plain_attention
    from headwork.models.objectives.translation import Translating

    names = {
        name: number for number, name in enumerate(["<pad>", "</s>", "<unk>", *map(str, range(VOCABULARY))])
    }
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(names, "<unk>")),
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
    )
    from miniature import SHAPE

    model = build(SHAPE | {"max_positions": 4096}, tokenizer, 1).train()
    goal = Translating.of(model, 0.1)
    texts = torch.randint(3, VOCABULARY, (2, 2048 // tokens, tokens)).numpy()
    batch = goal.collate(list(zip(*texts, strict=True)))

    def run() -> None:
        with plain_attention():
            found = goal.loss(model, batch)
            (found.loss / found.count).backward()
        model.zero_grad()

    return run


def trees(sentences: int) -> Work:
    """Trees of 16 words read from CoNLL-U and checked."""
    from headwork.parses.conllu import Sentence, Word, read_trees, write_conllu

    folder = TemporaryDirectory()
    words = [Word(f"word{place}", f"word{place}", "NOUN", "NN", {}, place, "dep") for place in range(16)]
    path = Path(folder.name) / "trees.conllu"
    write_conllu(path, (Sentence(words) for _ in range(sentences)))

    def run() -> int:
        with folder:
            return sum(map(len, read_trees(path)))

    return run


def states(sentences: int) -> Work:
    """Hidden states of all layers written to disk."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import PreTrainedTokenizerFast

    from headwork.representations.states.hidden_states import extract

    backend = Tokenizer(WordLevel({f"w{number}": number for number in range(VOCABULARY)}, "w0"))
    backend.pre_tokenizer = WhitespaceSplit()
    tokenizer, model = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="w0"), model_of()
    lines = (
        " ".join(f"w{(place * number) % VOCABULARY}" for place in range(1, 17))
        for number in range(1, sentences + 1)
    )

    def run() -> None:
        with TemporaryDirectory() as folder:
            extract(model, tokenizer, lines, Path(folder) / "states")

    return run


def neighbours(tokens: int) -> Work:
    """The ten nearest of so many vectors of 64 dimensions to each of them."""
    from headwork.representations.information.neighbours import nearest

    vectors = torch.randn(tokens, 64)
    return lambda: nearest(vectors, 10)


class Phase(NamedTuple):
    """What is made larger (one of `AXES`), the sizes, and the work at a size."""

    axis: str
    sizes: tuple[int, ...]
    work: Callable[[int], Work]


AXES = ("sentences", "tokens a text", "heads")
MANY, LENGTHS, LAYERS = (1000, 3000, 10_000, 30_000), (32, 128, 512, 2048), (1, 4, 16, 64)
OF_12 = {"own": 12, "width": 96}

PHASES = {
    "trees read": Phase("sentences", MANY, trees),
    "head statistics": Phase("sentences", (*MANY, 100_000), lambda size: heads(size)),
    "LRP": Phase("sentences", MANY[:3], lambda size: relevance(size)),
    "states": Phase("sentences", MANY, states),
    "nearest neighbours (of as many tokens)": Phase("sentences", MANY, neighbours),
    "head statistics of a text": Phase("tokens a text", LENGTHS, lambda size: heads(tokens=size)),
    "LRP of a text": Phase("tokens a text", LENGTHS, lambda size: relevance(tokens=size)),
    "attribution of a text": Phase("tokens a text", LENGTHS, lambda size: attribution(tokens=size)),
    "training, 2,048 tokens": Phase("tokens a text", LENGTHS, training),
    "statistics by heads": Phase("heads", LAYERS, lambda size: heads(4, 32, size, **OF_12)),
    "LRP by heads": Phase("heads", LAYERS, lambda size: relevance(4, 32, size, **OF_12)),
    "attribution by heads": Phase("heads", LAYERS[:3], lambda size: attribution(32, size, **OF_12)),
    "each head disabled": Phase("heads", LAYERS[:3], disabling),
    "distances between all heads": Phase("heads", (*LAYERS[:3], 32), distances),
}
"""By heads, a size is a number of layers of twelve heads."""


def measure(phase: Phase) -> list[tuple[int, float, float]]:
    """(size, CPU seconds, MiB) at each size, after the smallest once unmeasured: the best time of three, if short."""
    phase.work(phase.sizes[0])()
    found = []
    for size in phase.sizes:
        seconds, memory = [], []
        while len(seconds) < 3 and sum(seconds) < 10:  # a shared machine only ever adds to it
            run = phase.work(size)
            before, start = forget_peak(), time.process_time()
            run()
            seconds.append(time.process_time() - start)
            memory.append(peak() - before)
        shown = size * 12 if phase.axis == "heads" else size
        found.append((shown, min(seconds), memory[0]))
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(1)
    print(json.dumps(measure(PHASES[sys.argv[1]])))
