"""One encoder's heads between words: which find syntactic heads, antecedents, and what takes part in a predicate.

Clark et al. (2019), section 4; Kovaleva et al. (2019), section 4.2.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.coreference import Document, read_entities, read_gap
from headwork.corpora.running_text.paragraphs import paragraphs
from headwork.corpora.sources.readers import format_of
from headwork.errors import InputError
from headwork.heads.coreference.antecedent_heads import Coreference, mention_batches, shortened
from headwork.heads.coreference.antecedents import MentionText, anaphors, rules
from headwork.heads.examples.words import (
    WordExampleSettings,
    antecedent_examples,
    relation_examples,
    role_examples,
)
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.parsed import parsed_texts
from headwork.heads.syntax.best_heads import best_heads
from headwork.heads.syntax.dependency import Dependency, DependencySettings
from headwork.heads.syntax.roles import Roles, RoleSettings
from headwork.models.loading import hub
from headwork.parses.conllu import read_trees
from headwork.run.outputs import write_examples, write_table
from headwork.settings.options import options, require
from miniature_world.genders import natural_genders

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
    roles: RoleSettings = field(default_factory=RoleSettings)
    examples: WordExampleSettings = field(default_factory=WordExampleSettings)

    def __post_init__(self) -> None:
        require(self.tokens > 0, f"heads on words: tokens is {self.tokens}; it must be 1 or more")


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
    chosen = options(WordRunSettings, settings, "heads on words")
    whole, tokenizer = hub.load(model_folder)
    model = whole.base_model.to(device)
    parsed = list(islice(read_trees(trees), chosen.sentences))
    sentences = parsed_texts(parsed, tokenizer, model, trees)
    documents = _documents(mentions, tokenizer, chosen, held_out)
    dependency, roles, coreference = Dependency(chosen.dependency), Roles(chosen.roles), Coreference()
    batches = single_batches(sentences, "encoder", tokenizer.pad_token_id, chosen.tokens)
    of_trees = measure(model, batches, [dependency, roles], progress="trees")
    batches = mention_batches(documents, tokenizer, chosen.tokens)
    of_mentions = measure(model, batches, [coreference], progress="mentions")
    best = best_heads(of_trees, chosen.min_count)
    shown = relation_examples(model, sentences, tokenizer.pad_token_id, best, chosen.examples)
    shown += role_examples(model, sentences, tokenizer.pad_token_id, of_trees, chosen.roles, chosen.examples)
    shown += antecedent_examples(model, documents, tokenizer, of_mentions, chosen.examples)
    write_table(outputs["statistics"], pd.concat([of_trees, of_mentions], ignore_index=True))
    write_table(outputs["offsets"], dependency.baseline())
    write_table(outputs["rules"], rules(documents))
    write_examples(outputs["examples"], shown)


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
