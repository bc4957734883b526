"""A trained translation model as a folder for others: weights, tokenizer, records of its training, and a model card."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from huggingface_hub import ModelCard, ModelCardData

from headwork.models.loading.checkpoints import FILES
from headwork.run.frame import Files, folder_of

RECORDS = ("history.csv", "run.json", "scores.json", "gates.csv")

TEXT = """
# {run}

A translation model, {source} to {target}, trained by headwork for the analysis of its attention heads. It is small and
not meant for other uses.

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained("{run}"), AutoTokenizer.from_pretrained("{run}")
```

| | |
|---|---|
{facts}

`history.csv` has the dev loss by step; `run.json` the settings, the SHA-256 of the training files, versions and
hardware; `scores.json` BLEU with its signature.{gates} The training text is not included, and its licences hold for it.
"""


def publish_weights(input: Files, output: Files, languages: Sequence[str], corpus: str) -> None:
    """Copy a run's model and its records to another folder, beside a model card, README.md.

    `input`: model (files of the run's folder). `output`: published (files of the other folder). `languages` are those
    of source and target, `corpus` says what text the model was trained on.
    """
    folder, published = folder_of(input.model), folder_of(output.published)
    for name in (*FILES, *RECORDS):
        if (folder / name).is_file():
            shutil.copyfile(folder / name, published / name)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    facts = _facts(folder, run, corpus)
    source, target = languages
    gates = " `gates.csv` says which heads are kept; the others are zero in W_O." if "gates" in run else ""
    card = TEXT.format(
        run=run["settings"]["run"]["run"],
        source=source,
        target=target,
        facts="\n".join(f"| {name} | {value} |" for name, value in facts.items()),
        gates=gates,
    )
    data = ModelCardData(
        language=list(languages),
        license="mit",
        library_name="transformers",
        pipeline_tag="translation",
        tags=["headwork"],
    )
    ModelCard(f"---\n{data.to_yaml()}\n---\n{card}").save(published / "README.md")


def _facts(folder: Path, run: Mapping[str, Any], corpus: str) -> dict[str, str]:
    """What the card's table says, by row."""
    shape, recipe = run["settings"]["architecture"], run["settings"]["recipe"]
    last = pd.read_csv(folder / "history.csv").iloc[-1]
    score = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["test"]
    facts = {
        "trained on": f"{corpus}: {run['data']['train_pairs']:,} sentence pairs",
        "architecture": f"{shape['family']}, encoder {shape['encoder_layers']} layers of {shape['heads']} heads, "
        f"decoder {shape['decoder_layers']} layers, width {shape['width']}; {run['parameters'] / 1e6:.1f} M parameters",
        "training": f"{recipe['steps']:,} updates, {run['data']['target_tokens_trained_on']:,} target tokens",
        "dev loss, accuracy": f"{last['dev_loss']:.3f} nats, {last['dev_accuracy']:.3f}",
        "BLEU on held-out text": f"{score['bleu']:.1f} [{score['low']:.1f}, {score['high']:.1f}]; "
        + score["signature"].replace("|", "\\|"),  # a bar would end the cell
    }
    if "gates" in run:
        kept = [
            f"{each['kept']} of {each['heads']} {kind}"
            for kind, each in run["gates"].items()
            if kind != "undecided"
        ]
        facts["heads kept"] = ", ".join(kept)
    if start := run["settings"]["run"].get("init_run"):
        facts["started from"] = start
    return facts
