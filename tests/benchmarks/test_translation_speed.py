"""Beam search over a test set against `generate`

`generate` translates in the order of the file. Sentences per second, and BLEU.
The model is trained here for a minute or two on the miniature world, since one that never learned to end a sentence
says nothing of speed. Both search with a beam of 4 and one thread, and rank by the same length penalty.
"""

import time

import pytest
import torch
from miniature import RECIPE, SHAPE, pairs, write_corpus
from page import rounded
from sacrebleu.metrics import BLEU

from headwork.models.jobs.train import run_training
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.beam_search import Translator

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

SENTENCES, TEST, BATCH = 12_000, 300, 32
REPETITIONS = 3


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """(folder of a model, English of the test set, its references)"""
    folder, given = tmp_path_factory.mktemp("translation"), pairs(SENTENCES)
    parts = {"train": given[TEST:], "dev": given[TEST : TEST + 100], "test": given[:TEST]}
    write_corpus(folder, parts)
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
    recipe = {**RECIPE, "steps": 150, "warmup_steps": 30, "evaluate_every": 150}
    run_training(row, SHAPE, recipe, folder, folder / "model", folder / "work", device="cpu")
    return folder / "model", *zip(*parts["test"], strict=True)


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


def test_five_times_plain_generate(trained, report):
    folder, lines, references = trained
    how = {"beam": 4, "length_penalty": 0.6, "length_offset": 0.0}
    translator = Translator(folder, how, threads=1, device="cpu")
    seconds, ours = [], []
    for _ in range(REPETITIONS):
        theirs, spent = plainly(folder, lines)
        seconds.append(spent)
        start = time.perf_counter()
        mine = translator(lines)
        ours.append(time.perf_counter() - start)
    score = BLEU(tokenize="none", force=True)
    scores = [score.corpus_score(found, [references]).score for found in (mine, theirs)]
    same = sum(map(str.__eq__, mine, theirs)) / len(lines)
    figures = f"{rounded(len(lines) / min(seconds))} and {rounded(len(lines) / min(ours))} sentences a second"
    ratios = [their / own for their, own in zip(seconds, ours, strict=True)]
    report(
        "time of `generate`, unsorted / ours, beam 4",
        ratios,
        at_least=5,
        figures=figures,
        why="all but 2 % of our time is CTranslate2's search, in fp32",
    )
    report(
        "share of translations that are equal",
        same,
        at_least=0.99,
        figures=f"BLEU {scores[1]:.2f} and {scores[0]:.2f}",
        why="`generate` counts EOS in the length, and may search on when four hypotheses are finished: of 8 "
        "translations that differ, 4 each",
    )
    assert scores[0] == pytest.approx(scores[1], abs=0.1)
