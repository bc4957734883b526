"""Beam search over a test set against plain `generate`, in the order of the file: sentences per second, and BLEU.

The model is trained here for a minute or two on the miniature world, since one that never learned to end a sentence
says nothing of speed. Both search with a beam of 4 and one thread, and rank by the same length penalty.
"""

import time
from pathlib import Path

import pytest
import torch
import yaml
from sacrebleu.metrics import BLEU

from headwork.corpora.miniature.generate import generate
from headwork.corpora.miniature.transfer import translate as say
from headwork.corpora.subwords import learning as subwords
from headwork.models.jobs.train import run_training
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.beam_search import Translator
from headwork.options import options

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SENTENCES, TEST, BATCH = 12_000, 300, 32


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """(folder of a model, English of the test set, its references)"""
    folder = tmp_path_factory.mktemp("translation")
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    pairs = {
        sentence.text: " ".join(say(sentence, "karvan")[0]) for sentence in generate("news", SENTENCES, 1)
    }
    pairs = list(pairs.items())
    for split, part in (
        ("train", pairs[TEST:]),
        ("dev", pairs[TEST : TEST + 100]),
        ("test", pairs[:TEST]),
    ):
        for side, texts in zip(("source", "target"), zip(*part, strict=True), strict=True):
            (folder / f"{split}.{side}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    texts = [folder / f"train.{side}.txt" for side in ("source", "target")]
    chosen = options(subwords.Subwords, config["corpora"]["news-karvan"]["subwords"], "subwords")
    subwords.save(subwords.learn(texts, chosen), folder / "tokenizer.json")
    row = {
        "run": "bench",
        "objective": "translation",
        "architecture": "miniature",
        "recipe": "base",
        "seed": 1,
        "gates": "none",
        "penalty": 0.0,
        "init_run": None,
    }
    recipe = {**config["recipes"]["base"], "steps": 500, "warmup_steps": 100}
    architecture = config["architectures"]["miniature"]
    run_training(row, architecture, recipe, folder, folder / "model", folder / "work", device="cpu")
    return folder / "model", *zip(*pairs[:TEST], strict=True)


def plainly(folder, lines):
    """Translations by `generate` in batches of 32 lines as they come, and the seconds it takes."""
    torch.set_num_threads(1)
    model, tokenizer = load(folder)
    model.eval()
    start, found = time.perf_counter(), []
    with torch.inference_mode():
        for first in range(0, len(lines), BATCH):
            batch = tokenizer(list(lines[first : first + BATCH]), return_tensors="pt", padding=True)
            told = model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                num_beams=4,
                length_penalty=0.6,
                max_new_tokens=60,
            )
            found += tokenizer.batch_decode(told, skip_special_tokens=True)
    return [line.strip() for line in found], time.perf_counter() - start


def test_three_times_plain_generate(trained, report):
    folder, lines, references = trained
    theirs, seconds = plainly(folder, lines)
    how = {"beam": 4, "length_penalty": 0.6, "length_offset": 0.0}
    translator = Translator(folder, how, threads=1, device="cpu")
    start = time.perf_counter()
    mine = translator(lines)
    ours = time.perf_counter() - start
    score = BLEU(tokenize="none", force=True)
    scores = [score.corpus_score(found, [references]).score for found in (mine, theirs)]
    same = sum(map(str.__eq__, mine, theirs)) / len(lines)
    print(f"BLEU {scores[0]:.2f} against {scores[1]:.2f}; {same:.1%} of the translations are the same")
    report("time of `generate`, unsorted / ours, beam 4", seconds / ours, at_least=3)
    assert scores[0] == pytest.approx(scores[1], abs=0.1) or same == 1
