"""What the runs of a sheet will cost, before any of them is made: jobs, GPU hours, disk.

Training takes about six floating-point operations for each weight and token: two forward, four backward (Kaplan et al.
2020, section 2.1); embeddings are looked up, but the product with the vocabulary counts. How many of them a GPU does in
a second is the one thing that is not in the config. `TERAFLOPS` is calibrated on BERT-base and MNLI as timed in the
table of transformers' own example of GLUE: 392 702 examples of 128 pieces, 3 passes, 2 h 35 min in fp32 on a Titan RTX
are 8.2 tera a second, and twice that in half precision, which is used here. For another card give its own number: train
one run, and divide the `work` of its row by `training.seconds` of its run.json. Batches are taken to be full, examples
as long as the recipe allows: an upper bound. Measuring heads is one pass over a few thousand sentences, minutes a run,
and left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.run.frame import Files
from headwork.run.outputs import write_table

TERAFLOPS = 16.4
OPERATIONS = 6  # for each weight and token
BYTES = 4  # of a weight on disk
# Beside the weights, a checkpoint has Adam's two moments; the last two are kept while a run trains.
CHECKPOINTS = 2 * 3
PAIR = 600  # bytes of a pair of sentences, on both sides, tokenised and as it came
# layers, width, feed-forward, vocabulary of bert-base, which a model by name is taken to be
BERT = (12, 768, 3072, 30522)

# Examples of each task's training set (Wang et al. 2019, table 1; MRPC, QNLI as released).
EXAMPLES = {"SST-2": 67349, "MRPC": 3668, "RTE": 2490, "MNLI": 392702, "QNLI": 104743, "QQP": 363846}
EXAMPLES |= {"STS-B": 5749, "CoLA": 8551}


def estimate_scale(
    input: Files,
    output: Files,
    sheet: Sequence[Mapping[str, Any]],
    study_items: Mapping[str, int],
    teraflops: float | None,
    config: Mapping[str, Any],
) -> None:
    """Write and print `estimate` of a scale's run sheet and config. `output`: table (csv)."""
    table = estimate(sheet, config, study_items, teraflops or TERAFLOPS)
    write_table(output.table, table)
    print(table.to_string(index=False))


def layers(architecture: Mapping[str, Any]) -> tuple[int, int, int]:
    """Weights in the layers of encoder and decoder, and the width. An encoder has no decoder; biases are left out."""
    if "model" in architecture or architecture.get("family") == "bert":
        number, width, inner, _ = BERT
        if "model" not in architecture:
            number, width, inner = (architecture[key] for key in ("layers", "width", "feed_forward"))
        return number * (4 * width**2 + 2 * width * inner), 0, width
    width, inner = architecture["width"], architecture["feed_forward"]
    theirs = architecture.get("decoder_feed_forward") or inner
    encoder = architecture["encoder_layers"] * (4 * width**2 + 2 * width * inner)
    decoder = architecture["decoder_layers"] * (8 * width**2 + 2 * width * theirs)
    return encoder, decoder, width


def vocabulary(row: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    """Pieces that a run knows."""
    if "model" in config["architectures"][row["architecture"]] or row["objective"] == "classification":
        return BERT[3]
    return _section(row, config)["subwords"]["vocabulary"]


def parameters(row: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    """The weights of a run's model, about: layers and one table of embeddings."""
    encoder, decoder, width = layers(config["architectures"][row["architecture"]])
    return encoder + decoder * _translates(row) + width * vocabulary(row, config)


def _translates(row: Mapping[str, Any]) -> bool:
    """Whether a run has the decoder of its architecture: language models are its encoder with a small head."""
    return row["objective"] == "translation"


def work(row: Mapping[str, Any], config: Mapping[str, Any]) -> float:
    """Floating-point operations of a run's training; 0 for one that is taken as it is."""
    recipe = config["recipes"][row["recipe"]]
    encoder, decoder, width = layers(config["architectures"][row["architecture"]])
    if row["objective"] == "classification":
        examples = EXAMPLES[config["tasks"][row["corpus"]]["task"]]
        examples = min(examples, recipe.get("examples") or examples)
        return float(OPERATIONS) * encoder * recipe.get("epochs", 3) * examples * recipe.get("longest", 128)
    tokens = recipe.get("steps", 0) * recipe.get("tokens_per_batch", 4000) * recipe.get("accumulation", 1)
    trained = encoder + decoder * _translates(row) + width * vocabulary(row, config)
    return float(OPERATIONS) * trained * tokens


def estimate(
    sheet: Sequence[Mapping[str, Any]],
    config: Mapping[str, Any],
    items: Mapping[str, int],
    teraflops: float = TERAFLOPS,
) -> pd.DataFrame:
    """One row a study, and a last one for all, with what it costs.

    `items` says how many items each study has. A study's runs are those that the sheet's column `study` gives it; what
    it shares with others counts where it stands. jobs: training and scoring each run, and the items; Snakemake's plan
    has the rest. models_gb: their weights. work_gb: checkpoints of one training, the largest, which go when it ends.
    downloads_gb: what corpora, texts and tasks of the runs fetch; `unknown` of these have no size in the config.
    """
    rows = []
    for study in [*dict.fromkeys(row["study"] for row in sheet), "all"]:
        own = [row for row in sheet if study in (row["study"], "all")]
        named = {name for row in own for name in downloads(_section(row, config))}
        sizes = [config.get("downloads", {})[name].get("bytes") for name in sorted(named)]
        weights = [BYTES * parameters(row, config) for row in own]
        pairs = {row["corpus"] for row in own if row["objective"] == "translation"}
        text = sum(PAIR * (config["corpora"][corpus].get("limit") or 0) for corpus in pairs)
        shown = sum(items.values()) if study == "all" else items.get(study, 0)
        rows.append(
            {
                "study": study,
                "runs": len(own),
                "jobs": 2 * len(own) + shown,
                "gpu_hours": round(sum(work(row, config) for row in own) / (teraflops * 1e12 * 3600), 1),
                "models_gb": round(sum(weights) / 1e9, 1),
                "work_gb": round(CHECKPOINTS * max(weights) / 1e9, 1),
                "text_gb": round(text / 1e9, 1),
                "downloads_gb": round(sum(size or 0 for size in sizes) / 1e9, 2),
                "unknown": sizes.count(None),
            }
        )
    return pd.DataFrame(rows)


def downloads(part: Any) -> set[str]:
    """The ids of all downloads that a part of the config names."""
    if isinstance(part, Mapping):
        named = [part[key] for key in ("download", "dev_ids") if part.get(key)]
        ids = {one for name in named for one in (name.values() if isinstance(name, Mapping) else [name])}
        return ids.union(*map(downloads, part.values()))
    if isinstance(part, list):
        return set().union(*map(downloads, part))
    return set()


def _section(row: Mapping[str, Any], config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The description of what a run is trained on: of `tasks`, `texts` or `corpora`."""
    if row["objective"] == "classification":
        return config["tasks"][row["corpus"]]
    # language models over the source side of a corpus have the objective mlm too
    return config["texts" if row["corpus"] in config["texts"] else "corpora"][row["corpus"]]
