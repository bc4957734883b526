"""One encoder's heads between words: which find syntactic heads, which antecedents (Clark et al. 2019, section 4)."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.coreference import Document, natural_genders, read_entities, read_gap
from headwork.corpora.paragraphs import paragraphs
from headwork.corpora.readers import format_of
from headwork.errors import InputError
from headwork.heads.antecedents import MentionText, anaphors, rules
from headwork.heads.batches import Text, single_batches, texts
from headwork.heads.best_heads import best_heads
from headwork.heads.coreference import Coreference, mention_batches, shortened
from headwork.heads.dependency import Dependency, DependencySettings
from headwork.heads.measure import measure
from headwork.heads.word_examples import WordExampleSettings, antecedent_examples, relation_examples
from headwork.models import hub
from headwork.options import options, require
from headwork.parses.conllu import read_trees

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WordRunSettings:
    """What is measured of heads between words.

    `sentences` with trees and `documents` with mentions at most (None: all); documents are cut to `longest` pieces;
    `tokens` of a batch; `gap_heads`: which word of a name is its head in GAP's tables; `min_count`: relations of fewer
    words have no example.
    """

    sentences: int | None = None
    documents: int | None = None
    longest: int = 128
    tokens: int = 4000
    gap_heads: str = "last"
    min_count: int = 100
    dependency: DependencySettings = field(default_factory=DependencySettings)
    examples: WordExampleSettings = field(default_factory=WordExampleSettings)

    def __post_init__(self) -> None:
        require(self.tokens > 0, f"heads on words: tokens is {self.tokens}; it must be 1 or more")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "WordRunSettings":
        """From the config's mapping; raises InputError for unknown keys and values that make no sense."""
        kinds = {"dependency": DependencySettings, "examples": WordExampleSettings}
        parts = {
            name: options(kind, settings[name] or {}, f"heads on words: {name}")
            for name, kind in kinds.items()
            if name in settings
        }
        return options(cls, {**settings, **parts}, "heads on words")


def measure_words(
    model_folder: str | Path,
    trees: str | Path,
    mentions: Sequence[str | Path],
    settings: Mapping[str, Any],
    outputs: Mapping[str, str | Path],
    *,
    held_out: str | Path | None = None,
    device: str = "cpu",
) -> None:
    """Measure every head of an encoder on parsed sentences and on texts with mentions.

    `trees` is CoNLL-U; `mentions` are GAP's tables or CoNLL-U with entities; of the latter only documents that are a
    paragraph of the text `held_out`, if given. `outputs`: statistics (parquet), offsets (csv: each relation's best
    fixed offset), rules (csv: what rules without a model get right) and examples (json). Raises InputError for a file
    without trees or mentions.
    """
    chosen = WordRunSettings.of(settings)
    whole, tokenizer = hub.load(model_folder)
    model = whole.base_model.to(device)
    sentences = _sentences(trees, tokenizer, model, chosen)
    documents = _documents(mentions, tokenizer, chosen, held_out)
    dependency, coreference = Dependency(chosen.dependency), Coreference()
    batches = single_batches(sentences, "encoder", tokenizer.pad_token_id, chosen.tokens)
    of_trees = measure(model, batches, [dependency], progress="trees")
    batches = mention_batches(documents, tokenizer, chosen.tokens)
    of_mentions = measure(model, batches, [coreference], progress="mentions")
    best = best_heads(of_trees, chosen.min_count)
    shown = relation_examples(model, sentences, tokenizer.pad_token_id, best, chosen.examples)
    shown += antecedent_examples(model, documents, tokenizer, of_mentions, chosen.examples)
    for path in map(Path, outputs.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
    pd.concat([of_trees, of_mentions], ignore_index=True).to_parquet(outputs["statistics"], index=False)
    for name, table in (("offsets", dependency.baseline()), ("rules", rules(documents))):
        table.to_csv(outputs[name], index=False, float_format="%.6g", lineterminator="\n")
    rows = (json.dumps(example, ensure_ascii=False, separators=(",", ":")) for example in shown)
    Path(outputs["examples"]).write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def _sentences(
    trees: str | Path, tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel, settings: WordRunSettings
) -> list[Text]:
    """The parsed sentences that the model has positions for."""
    parsed = list(islice(read_trees(trees), settings.sentences))
    found = list(texts((" ".join(tree.forms) for tree in parsed), tokenizer, parsed, str(trees)))
    fit = [text for text in found if len(text) <= model.config.max_position_embeddings]
    if not fit:
        raise InputError.at(trees, "no sentence is in it that the model has positions for")
    if len(fit) < len(found):
        log.info("%s: %d sentences left out: too long for the model", trees, len(found) - len(fit))
    return fit


def _documents(
    mentions: Sequence[str | Path],
    tokenizer: PreTrainedTokenizerBase,
    settings: WordRunSettings,
    held_out: str | Path | None,
) -> list[MentionText]:
    """The texts with mentions, cut to what the model reads."""
    own = None if held_out is None else {" ".join(each.sentences) for each in paragraphs(Path(held_out))}

    def documents() -> Iterator[Document]:
        for path in mentions:
            if format_of(Path(path)) == "tsv":
                yield from read_gap(path, settings.gap_heads)
                continue
            for document in read_entities(path, natural_genders()):
                if own is None or " ".join(document.words) in own:
                    yield document

    found = shortened(islice(documents(), settings.documents), tokenizer, settings.longest)
    if not any(list(anaphors(text)) for text in found):
        names = ", ".join(map(str, mentions)) or "no file"
        raise InputError(f"heads on words: no mention refers back to an earlier one; looked in {names}")
    return found
