"""The miniature scale's translation data, model shape and recipe, as config/config.yaml has them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from own_process import ROOT

from headwork.corpora.subwords import learning as subwords
from headwork.settings.corpora import Subwords
from miniature_world.generate import generate
from miniature_world.transfer import translate

CONFIG: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
SHAPE: dict[str, Any] = CONFIG["architectures"]["miniature"]
RECIPE: dict[str, Any] = CONFIG["recipes"]["base"]


def pairs(sentences: int) -> list[tuple[str, str]]:
    """English and Karvan of so many sentences of news, without repetitions."""
    said = {each.text: " ".join(translate(each, "karvan")[0]) for each in generate("news", sentences, 1)}
    return list(said.items())


def write_corpus(folder: Path, parts: dict[str, Sequence[tuple[str, str]]]) -> None:
    """Write `<split>.source.txt`, `<split>.target.txt`, and tokenizer.json, learned on the split train."""
    for split, part in parts.items():
        for side, texts in zip(("source", "target"), zip(*part, strict=True), strict=True):
            (folder / f"{split}.{side}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    chosen = Subwords.read(CONFIG["corpora"]["news-karvan"]["subwords"], "subwords")
    texts = [folder / f"train.{side}.txt" for side in ("source", "target")]
    subwords.save(subwords.learn(texts, chosen), folder / "tokenizer.json")
