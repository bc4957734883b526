"""Precision of positional heads by the part of speech of the neighbour, on real text (voita2019, results on real text).

For the model trained with Adam: `subtitles-de-long`, heads (5, 4, -1) and (3, 2, 1).
"""

from itertools import accumulate
from pathlib import Path

import pandas as pd
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

results, heads = Path("results/workstation"), {"previous": (3, 1, -1), "next": (3, 8, 1)}
folder = results / "models/subtitles-de-muon"
model = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager", dtype="float32")
tokenizer = AutoTokenizer.from_pretrained(folder)
sentences = (results / "corpora/subtitles-de/test.source.txt").read_text().splitlines()
trees = (results / "parses/subtitles-de/test.stanza.conllu").read_text().strip().split("\n\n")
rows = []
for sentence, tree in zip(sentences, trees, strict=True):
    tags = [word.split("\t")[3] for word in tree.split("\n")]
    inputs = tokenizer(sentence, return_tensors="pt")
    tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])[:-1]  # without EOS
    words = list(accumulate((token.endswith("</w>") for token in tokens), initial=0))
    with torch.inference_mode():
        maps = model.get_encoder()(**inputs, output_attentions=True).attentions
    for name, (layer, head, offset) in heads.items():
        for query, key in enumerate(maps[layer - 1][0, head - 1, :-1, :-1].argmax(-1).tolist()):
            if 0 <= query + offset < len(tokens):
                here, there = words[query], words[query + offset]
                kind = "same word" if here == there else tags[there]
                rows.append((name, kind, key == query + offset, key == query + 2 * offset))
table = pd.DataFrame(rows, columns=["head", "neighbour", "there", "one further"])
print(table.groupby(["head", "neighbour"])[["there", "one further"]].mean())
