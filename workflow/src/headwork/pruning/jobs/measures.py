"""One model, every measure of its heads' importance, and what each head is worth: the synthesis of the studies.

The measures are `headwork.pruning.measures.COMPARED`, means over texts. So confidence is the mean of each text's mean
over all its tokens (`BY_TEXT`), where the table of translation heads has the mean over the real tokens of all texts.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from tqdm.auto import tqdm

from headwork.corpora.sources.readers import lines
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.measure import ATTENTION, PASSES, PREDICTION, REMOVAL, Measure
from headwork.heads.streaming.batches import bare_batch
from headwork.lens.anatomy import anatomy
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.bleu import scoring_of
from headwork.pruning.measures import COMPARED
from headwork.pruning.ranking import PLACE, gates_without, order, random_order
from headwork.pruning.removal_pass import RemovalPass
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.jobs.relevance import pair_batches
from headwork.relevance.prediction_pass import PredictionPass
from headwork.relevance.subjects import ClassifierSubject, Subject, TranslationSubject, Worth
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.base import part_of, require
from headwork.settings.heads import ConfidenceSettings
from headwork.settings.models import TaskSettings, Translation
from headwork.settings.pruning import MeasureSettings
from headwork.sites import Head, Site

SCORE, LIKELIHOOD, RANDOM, LRP = "score", "likelihood", "random", "lrp"
TRUTH = (SCORE, LIKELIHOOD)
BY_TEXT = ConfidenceSettings(drop_special_queries=False, drop_special_keys=False, average="sentences")
Values = dict[Head, float]


def measure_classifier(
    input: Files,
    output: Files,
    task: TaskSettings,
    settings: MeasureSettings,
    device: str = "cpu",
) -> None:
    """Compare all measures on a fine-tuned encoder: taken on examples of train, judged on dev; see `compare`.

    Input: model (its files) and task (its folder or files). Output: heads and curves.
    """
    folder, longest, seed = folder_of(input.task), settings.longest, settings.seed
    classifier = Classifier.load(folder_of(input.model), task, longest, device, "measures")
    texts = classifier.read(folder, "train", longest, settings.texts, seed)
    judged = classifier.read(folder, classifier.dev, longest, settings.judged, seed)
    compare(ClassifierSubject.of(classifier, texts, judged, settings.tokens), settings, output, {})


def measure_translation(
    input: Files,
    output: Files,
    translation: Translation,
    settings: MeasureSettings,
    device: str = "cpu",
) -> None:
    """Compare all measures on a translation model: taken on dev, judged on test; see `compare`.

    Input: model (its files), corpus (dev and test, source and target) and relevance, the table of `relevance_run`,
    whose shares are the measure `lrp`. Output: heads and curves.
    """
    corpus = folder_of(input.corpus)
    dev, test = (
        (corpus / f"{split}.source.txt", corpus / f"{split}.target.txt") for split in ("dev", "test")
    )
    model, tokenizer = load(folder_of(input.model))
    model.to(device)
    parts = [
        pair_batches(model, tokenizer, text, number, settings.tokens, str)
        for text, number in ((dev, settings.texts), (test, settings.judged))
    ]
    text = [[line.text for line in islice(lines(side), settings.judged)] for side in test]
    known = {LRP: _read_shares(input.relevance, settings.kinds)}
    translation = translation.model_copy(update={"scoring": scoring_of(tokenizer, translation)})
    subject = TranslationSubject((model, tokenizer), *parts, tuple(text), translation)
    compare(subject, settings, output, known)


def _read_shares(path: Path, kinds: Sequence[str]) -> Values:
    table = read_parquet(path)
    rows = table[(table["statistic"] == "relevance") & table["kind"].isin(kinds)]
    return {Head(*row[:3]): row[3] for row in rows[[*PLACE, "value"]].itertuples(index=False, name=None)}


def values_of(
    measures: Sequence[Measure],
    subject: Subject,
    sites: Sequence[Site],
    how: MeasureSettings,
    known: Mapping[str, Values],
) -> dict[str, Values]:
    """The value of every head by each measure, in their order; those `known` stand before those of the removal pass."""
    settings = SimpleNamespace(attribution=how.attribution, gates=how.gates, confidence=BY_TEXT)
    batches = [bare_batch(given.inputs) for given in subject.measured]
    on = {name: [each for each in measures if each.rides_on == name] for name in PASSES}
    attention = AttentionPass(subject.model, batches, settings, kinds=how.kinds)
    attention.table([], on[ATTENTION])
    tables = [
        attention.values(on[ATTENTION]),
        PredictionPass(subject, settings, sites).values(on[PREDICTION]),
        RemovalPass(subject, settings, sites).values(on[REMOVAL]),
    ]
    found: dict[str, Values] = {}
    for row in pd.concat(tables).itertuples():
        found.setdefault(row.measure, {})[Head(row.kind, row.layer, row.head)] = row.value
    of_texts = {each.key: found[each.key] for each in measures if each.rides_on != REMOVAL}
    return of_texts | dict(known) | {each.key: found[each.key] for each in on[REMOVAL]}


def compare(subject: Subject, how: MeasureSettings, output: Files, known: Mapping[str, Values]) -> None:
    """Take all measures, remove heads, and write what came of it.

    Output: heads (csv: measure, kind, layer, head, value; the measures `TRUTH` are what the model loses without the
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
    measures = values_of(COMPARED, subject, list(sites), how, known)
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
            removed = part_of(len(ranked), share)
            rows.append((*name, removed / len(ranked), removed, *worth(ranked[:removed]), subject.metric))
    columns = ["measure", "order", "share", "removed", SCORE, LIKELIHOOD, "metric"]
    write_table(output.heads, table)
    write_table(output.curves, pd.DataFrame(rows, columns=columns))
