"""One model, every measure of its heads' importance, and what each head is worth: the synthesis of the studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from headwork.corpora.sources.readers import lines
from headwork.lens.anatomy import anatomy
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.case import scoring_of
from headwork.pruning.measures import GateLearning, Values, by_text, learned_gates
from headwork.pruning.ranking import PLACE, gates_without, order, random_order
from headwork.pruning.subjects import ClassifierSubject, Subject, TranslationSubject, Worth
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.self_attention import AttributionSettings
from headwork.relevance.jobs.relevance import RelevanceSettings, pair_batches
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.options import options, require
from headwork.sites import KINDS, Head

SCORE, LIKELIHOOD, RANDOM, LRP = "score", "likelihood", "random", "lrp"
TRUTH = (SCORE, LIKELIHOOD)


@dataclass(frozen=True)
class MeasureSettings:
    """Which heads are compared, and on what.

    The heads of these `kinds` of attention; measures are means over `texts`, the worth of heads is that on `judged`
    texts; `shares` of the heads that are removed in the order of each measure, and in `orders` at random; `longest`
    pieces and `tokens` of a batch. And the parts' settings.
    """

    kinds: tuple[str, ...] = ("encoder",)
    texts: int = 100
    judged: int = 200
    shares: tuple[int | float, ...] = (0, 0.17, 0.34, 0.5, 0.67, 0.84, 1)
    orders: int = 3
    longest: int = 64
    tokens: int = 1000
    seed: int = 0
    attribution: AttributionSettings = field(default_factory=AttributionSettings)
    gates: GateLearning = field(default_factory=GateLearning)

    def __post_init__(self) -> None:
        for kind in self.kinds:
            require(kind in KINDS, f"measures: there are no {kind!r} heads; kinds are {', '.join(KINDS)}")
        for name in ("texts", "judged", "orders", "longest", "tokens"):
            require(
                getattr(self, name) > 0, f"measures: {name} is {getattr(self, name)}; it must be 1 or more"
            )
        require(
            len(self.shares) > 1 and all(0 <= share <= 1 for share in self.shares),
            f"measures: shares is {list(self.shares)}; name 2 or more from 0 to 1",
        )


def measure_classifier(
    model_folder: str | Path,
    task_folder: str | Path,
    task: Mapping[str, Any],
    settings: Mapping[str, Any],
    outputs: Mapping[str, str | Path],
    device: str = "cpu",
) -> None:
    """Compare all measures on a fine-tuned encoder: taken on examples of train, judged on dev; see `compare`."""
    how = options(MeasureSettings, settings, "measures")
    classifier = Classifier.load(model_folder, task, how.longest, device, "measures")
    texts = classifier.read(task_folder, "train", how.longest, how.texts, how.seed)
    judged = classifier.read(task_folder, classifier.dev, how.longest, how.judged, how.seed)
    compare(ClassifierSubject.of(classifier, texts, judged, how.tokens), how, outputs, {})


def measure_translation(
    model_folder: str | Path,
    corpus_folder: str | Path,
    translation: Mapping[str, Any],
    settings: Mapping[str, Any],
    outputs: Mapping[str, str | Path],
    relevance_path: str | Path | None = None,
    device: str = "cpu",
) -> None:
    """Compare all measures on a translation model: taken on dev, judged on test; see `compare`.

    `relevance_path` is the table of `headwork.relevance.jobs.relevance`, whose shares are the measure `lrp`.
    """
    how, corpus = options(MeasureSettings, settings, "measures"), Path(corpus_folder)
    model, tokenizer = load(model_folder)
    model.to(device)
    parts = [
        pair_batches(
            model,
            tokenizer,
            *(corpus / f"{split}.{side}.txt" for side in ("source", "target")),
            str,
            RelevanceSettings(split=split, sentences=number, tokens=how.tokens),
        )
        for split, number in (("dev", how.texts), ("test", how.judged))
    ]
    text = [
        [line.text for line in islice(lines(corpus / f"test.{side}.txt"), how.judged)]
        for side in ("source", "target")
    ]
    known = {} if relevance_path is None else {LRP: _read_shares(relevance_path, how.kinds)}
    described = {**translation, "scoring": scoring_of(tokenizer, translation)}
    subject = TranslationSubject((model, tokenizer), *parts, tuple(text), described)
    compare(subject, how, outputs, known)


def _read_shares(path: str | Path, kinds: Sequence[str]) -> Values:
    table = read_parquet(path)
    rows = table[(table["statistic"] == "relevance") & table["kind"].isin(kinds)]
    return {Head(*row[:3]): row[3] for row in rows[[*PLACE, "value"]].itertuples(index=False, name=None)}


def compare(
    subject: Subject, how: MeasureSettings, outputs: Mapping[str, str | Path], known: Mapping[str, Values]
) -> None:
    """Take all measures, remove heads, and write what came of it.

    `outputs`: heads (csv: measure, kind, layer, head, value; the measures `TRUTH` are what the model loses without the
    head) and curves (csv: measure, order, share, removed, score, likelihood, metric). `known` are measures taken
    before. Raises InputError if they are not of every head.
    """
    sites = {
        site: part.heads for site, part in anatomy(subject.model).sites.items() if site.kind in how.kinds
    }
    heads = [site.head(number) for site, count in sites.items() for number in range(1, count + 1)]
    for name, values in known.items():
        missing = {head.site: None for head in heads if head not in values}
        require(
            not missing,
            f"measures: no {name} is known of {', '.join(map(str, missing))}; name their kinds in relevance.kinds",
        )
    measures = by_text(subject, list(sites), how.attribution) | dict(known)
    measures["gates"] = learned_gates(subject, sites, how.gates)
    seen: dict[frozenset[Head], Worth] = {}

    def worth(removed: Sequence[Head]) -> Worth:
        key = frozenset(removed)
        if key not in seen:
            seen[key] = subject.worth(gates_without(sites, removed))
        return seen[key]

    whole = worth([])
    alone = {head: worth([head]) for head in tqdm(heads, desc="heads alone", unit="head", disable=None)}
    measures[SCORE] = {head: whole.score - found.score for head, found in alone.items()}
    measures[LIKELIHOOD] = {head: whole.likelihood - found.likelihood for head, found in alone.items()}
    table = pd.DataFrame(
        [(name, *head, values[head]) for name, values in measures.items() for head in heads],
        columns=["measure", *PLACE, "value"],
    )
    orders = {(name, 0): order(own) for name, own in table.groupby("measure", sort=False)}
    orders |= {(RANDOM, n): random_order(heads, how.seed + n) for n in range(how.orders)}
    rows = []
    for name, ranked in tqdm(orders.items(), desc="orders", unit="order", disable=None):
        for share in how.shares:
            removed = int(len(ranked) * share)
            rows.append((*name, removed / len(ranked), removed, *worth(ranked[:removed]), subject.metric))
    columns = ["measure", "order", "share", "removed", SCORE, LIKELIHOOD, "metric"]
    write_table(outputs["heads"], table)
    write_table(outputs["curves"], pd.DataFrame(rows, columns=columns))
