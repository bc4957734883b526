"""One encoder's heads between words: which find syntactic heads, antecedents, and what takes part in a predicate.

Clark et al. (2019), section 4; Kovaleva et al. (2019), section 4.2.
"""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pandas as pd
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.coreference import Document, read_entities, read_gap
from headwork.corpora.running_text.paragraphs import paragraphs
from headwork.corpora.sources.readers import format_of
from headwork.errors import InputError
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.coreference.antecedent_heads import Coreference, mention_batches, shortened
from headwork.heads.coreference.antecedents import MentionText, anaphors, rules
from headwork.heads.examples.words import antecedent_examples, relation_examples, role_examples
from headwork.heads.measures import of_table
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.parsed import parsed_texts
from headwork.heads.syntax.best_heads import best_heads
from headwork.heads.syntax.dependency import DEPENDENCY
from headwork.heads.syntax.roles import Roles
from headwork.models.loading import hub
from headwork.parses.conllu import whole_trees
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.heads import WordRunSettings
from miniature_world.genders import natural_genders

log = logging.getLogger(__name__)


def measure_words(input: Files, output: Files, settings: WordRunSettings, device: str = "cpu") -> None:
    """Measure every head of an encoder on parsed sentences and on texts with mentions.

    Reads the folder of the `model`, `trees` (CoNLL-U), and `mentions`, which are GAP's tables or CoNLL-U with entities;
    of the latter only documents that are a paragraph of the text `held_out`, if given. Writes

        statistics  (parquet) of every head
        offsets     (csv) each relation's best fixed offset
        rules       (csv) what rules without a model get right
        examples    (json) sentences with the maps of the best heads

    Raises InputError for a file without trees or mentions.
    """
    whole, tokenizer = hub.load(folder_of(input.model))
    model, padding = whole.base_model.to(device), tokenizer.pad_token_id
    parsed = list(islice(whole_trees(input.trees), settings.sentences))
    sentences = parsed_texts(parsed, tokenizer, model, input.trees)
    held_out = input.held_out if "held_out" in input else None
    documents = _documents(input.mentions, tokenizer, settings, held_out)
    batches = single_batches(sentences, "encoder", padding, settings.tokens)
    seen = AttentionPass(model, batches, settings, tokenizer)
    dependency = seen.statistic(DEPENDENCY)
    of_trees = seen.table([dependency, Roles(settings.roles)], of_table("words"), "trees")
    batches = mention_batches(documents, tokenizer, settings.tokens)
    of_mentions = measure(model, batches, [Coreference()], progress="mentions")
    best = best_heads(of_trees, settings.min_count)
    shown = relation_examples(model, sentences, padding, best, settings.examples)
    shown += role_examples(model, sentences, padding, of_trees, settings.roles, settings.examples)
    shown += antecedent_examples(model, documents, tokenizer, of_mentions, settings.examples)
    write_table(output.statistics, pd.concat([of_trees, of_mentions], ignore_index=True))
    write_table(output.offsets, dependency.baseline())
    write_table(output.rules, rules(documents))
    write_examples(output.examples, shown)


def _documents(
    mentions: Sequence[Path],
    tokenizer: PreTrainedTokenizerBase,
    settings: WordRunSettings,
    held_out: Path | None,
) -> list[MentionText]:
    """The texts with mentions, cut to what the model reads."""
    own = None if held_out is None else {" ".join(each.sentences) for each in paragraphs(held_out)}

    def documents() -> Iterator[Document]:
        for path in mentions:
            if format_of(path) == "tsv":
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
