"""Statistics from maps that are kept, as tools give them: the side to compare with, without headwork.

It runs in the peers' environment or here. As a program: what to measure (time or memory), the shape, the tokens of a
text, and the ways, which are those of `WAYS`; prints CPU seconds, or MiB beyond the model, by way.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from memory import forget_peak, peak
from torch import Tensor, nn

VOCABULARY, LONGEST, WINDOW = 1000, 2048, 3

Table = dict[str, list[list[float]]]
"""For confidence, entropy and each offset one number per layer and head."""


def model_of(shape: str, implementation: str, with_output: bool = False) -> nn.Module:
    """A random model of BERT-base's or GPT-2's shape that reads up to 2,048 tokens; perhaps with its output layer.

    It keeps no keys and values: texts are read once.
    """
    from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    asked = {"vocab_size": VOCABULARY, "attn_implementation": implementation, "use_cache": False}
    if shape == "bert":
        model = BertForMaskedLM(BertConfig(max_position_embeddings=LONGEST, **asked)).eval()
    else:
        model = GPT2LMHeadModel(GPT2Config(n_positions=LONGEST, **asked)).eval()
    return model if with_output else model.base_model


def texts(tokens: int) -> Tensor:
    """1,024 tokens or a text of 2,048: (text, token)."""
    return torch.randint(0, VOCABULARY, (max(1, 1024 // tokens), tokens), generator=torch.manual_seed(1))


def statistics(maps: Sequence[Tensor]) -> Table:
    """Confidence, entropy and shares of arg-max offsets from each layer's maps (text, head, query, key)."""
    table: Table = {}
    for layer in maps:
        weights = layer.numpy()
        sentences, tokens = len(weights), weights.shape[-1]
        logs = np.log(np.maximum(weights, np.finfo(np.float32).tiny))
        offset = weights.argmax(-1) - np.arange(tokens)
        row = {"confidence": weights.max(-1).mean((0, 2)), "entropy": -(weights * logs).sum(-1).mean((0, 2))}
        for d in range(-WINDOW, WINDOW + 1):
            possible = sentences * (tokens - abs(d))
            row[f"offset{d:+d}" if d else "offset0"] = (offset == d).sum((0, 2)) / possible
        for name, heads in row.items():
            table.setdefault(name, []).append(heads.tolist())
    return table


def output_attentions(shape: str) -> Callable[[Tensor], Table]:
    """`transformers`: maps of all layers as outputs."""
    model = model_of(shape, "eager")
    return lambda ids: statistics(model(ids, output_attentions=True).attentions)


def bertviz(shape: str) -> Callable[[Tensor], object]:
    """bertviz: the maps of one text at a time, stacked; its pages are not made."""
    from bertviz.util import format_attention

    model = model_of(shape, "eager")

    def maps(ids: Tensor) -> list[Table]:
        each = (model(row[None], output_attentions=True).attentions for row in ids)
        return [statistics([layer[None] for layer in format_attention(own)]) for own in each]

    return maps


def transformer_lens(shape: str) -> Callable[[Tensor], Table]:
    """TransformerLens: a cache of the patterns alone."""
    from transformer_lens.model_bridge.sources import build_bridge_from_module

    own = model_of(shape, "eager", with_output=True)
    model = build_bridge_from_module(own, type(own).__name__, hf_config=own.config, device="cpu")

    def maps(ids: Tensor) -> Table:
        _, cache = model.run_with_cache(ids, names_filter=lambda name: name.endswith("attn.hook_pattern"))
        return statistics([cache[name] for name in cache])

    return maps


WAYS = {each.__name__: each for each in (output_attentions, bertviz, transformer_lens)}


def seconds(
    runs: dict[str, Callable[[Tensor], object]], ids: Tensor, repetitions: int
) -> dict[str, list[float]]:
    """CPU seconds of each of the ways, which take turns, after a small run of each."""
    found: dict[str, list[float]] = {way: [] for way in runs}
    for run in runs.values():
        run(ids[:1, :128])
    for repetition in range(repetitions):
        for way in list(runs)[:: 1 if repetition % 2 else -1]:
            start = time.process_time()
            runs[way](ids)
            found[way].append(time.process_time() - start)
    return found


def memory(run: Callable[[Tensor], object], ids: Tensor) -> float:
    """Extra MiB at the highest point, after a small run has loaded the libraries' own buffers."""
    run(ids[:1, :128])
    before = forget_peak()
    run(ids)
    return peak() - before


def main(ways: dict[str, Callable[[str], Callable[[Tensor], object]]], repetitions: int) -> None:
    """Print what the arguments of the program ask for."""
    what, shape, tokens, *chosen = sys.argv[1:]
    torch.set_num_threads(1)
    ids = texts(int(tokens))
    with torch.inference_mode():
        if what == "time":
            print(json.dumps(seconds({way: ways[way](shape) for way in chosen}, ids, repetitions)))
        else:
            print(json.dumps({way: memory(ways[way](shape), ids) for way in chosen}))


if __name__ == "__main__":
    main(WAYS, 1)
