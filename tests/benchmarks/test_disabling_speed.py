"""Ablating heads one by one, from the head's layer on, against whole passes

A model of BERT-base's shape classifies 64 examples of 16 subword tokens, on one thread. One head of each layer is
disabled both ways, which is a twelfth of all 144: every head of a layer costs the same. CPU seconds; run this file to
see them.
"""

import json
import time

import pytest
import torch
from own_process import measured
from transformers import BertConfig, BertForSequenceClassification

from headwork.lens.last_layer import only_places
from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix

EXAMPLES, PIECES, VOCABULARY = 64, 16, 1000


def seconds() -> dict[str, float]:
    """Of whole passes and of passes from the layer on (the recording among them), and the largest difference."""
    torch.manual_seed(0)
    model = BertForSequenceClassification(BertConfig(vocab_size=VOCABULARY)).eval()
    ids = torch.randint(0, VOCABULARY, (EXAMPLES, PIECES))
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    spent = {"whole": 0.0, "from the layer on": 0.0}
    logits: dict[str, list[torch.Tensor]] = {name: [] for name in spent}
    with Lens(model) as lens, torch.no_grad():
        model(**batch)
        prefix = Prefix(model)
        sites = list(lens.anatomy.sites)
        start = time.process_time()
        with prefix.recording():
            model(**batch)
        # once for all 144 heads, so a twelfth of it for these
        spent["from the layer on"] += (time.process_time() - start) / 12
        for site in sites:
            for way in spent:
                start = time.process_time()
                with lens.uniform([site.head(1)]):
                    if way == "whole":
                        logits[way].append(model(**batch).logits)
                    else:
                        with prefix.up_to(site), only_places(model, (0,)):
                            logits[way].append(model(**batch).logits)
                spent[way] += time.process_time() - start
    pairs = zip(*logits.values(), strict=True)
    return {**spent, "difference": max(float((one - other).abs().max()) for one, other in pairs)}


@pytest.mark.benchmark
def test_disabling_every_head_costs_little_more_than_half_of_whole_passes(report):
    found = measured(__file__)
    ratio = found["whole"] / found["from the layer on"]
    report("time of whole passes / passes from the disabled layer on", ratio, at_least=1.7)
    assert found["difference"] <= 1e-5


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(seconds()))
