"""Attention to nouns, verbs, pronouns, subjects, objects, negation, [CLS] and [SEP].

Kovaleva et al. (2019), sections 4.4, 4.5 and figures 6 and 7. Of a text whose tokens T have a feature, n tokens in all,

    feature              max_{t in T} 1/n Σ_i A[i, t]       figure 6
    feature-from-cls     max_{t in T} A[[CLS], t]           figure 7

and of a head the mean over the texts that have the feature. The authors' code differs in ways that are settings here: a
token had a feature if its piece stood for such a word anywhere in the text (`match: piece`), and texts without the
feature counted as 0, but for negation (`absent: zero`).
"""

import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.parses.conllu import Word
from headwork.settings.heads import FeatureSettings
from headwork.sites import Site

# by UD's tags and relations; the paper used those of spaCy 2.1
NEGATIONS = frozenset(
    [
        "neither",
        "nor",
        "not",
        "never",
        "none",
        "n't",
        "don't",
        "won't",
        "didn't",
        "hadn't",
        "haven't",
        "can't",
        "isn't",
        "wasn't",
        "shouldn't",
        "couldn't",
        "nothing",
        "nowhere",
    ]
)
SUBJECTS = frozenset(("nsubj", "csubj", "expl"))
OBJECTS = frozenset(("obj", "iobj", "dobj"))
WORDS = ("noun", "verb", "pronoun", "subject", "object", "negation")
FEATURES = (*WORDS, "cls", "sep")
FROM_CLS = "feature-from-cls"

Marks = Bool[Tensor, "batch feature time"]


def features_of(word: Word) -> list[str]:
    """Return the features of `WORDS` that a word of a tree has."""
    relation = (word.deprel or "").partition(":")[0]
    personal = word.feats.get("PronType", "Prs") == "Prs"
    has = {
        "noun": word.upos in ("NOUN", "PROPN"),
        "verb": word.upos in ("VERB", "AUX") and not (word.xpos or "").startswith("MD"),
        "pronoun": word.upos == "PRON" and personal,
        "subject": relation in SUBJECTS,
        "object": relation in OBJECTS,
        "negation": word.form.lower() in NEGATIONS,
    }
    return [name for name in WORDS if has[name]]


class TokenFeatures:
    """The statistics `feature` and `feature-from-cls`; keys are `FEATURES`, the count is the texts that have one.

    Texts without trees have the features [CLS] and [SEP] alone; sites between two texts have none.
    """

    def __init__(self, classes: TokenClasses, settings: FeatureSettings | None = None) -> None:
        self.settings = settings or FeatureSettings()
        self.classes = classes
        self.reductions: tuple[Reduction, ...] = (self._attention,)
        self._tallies = [Tally("feature", FEATURES), Tally(FROM_CLS, FEATURES)]
        self._marks: dict[str, Marks] = {}

    def start(self, batch: Batch) -> None:
        """Find which tokens have which feature."""
        self._marks = {kind: self._of(side) for kind, side in batch.queries.items() if batch.same_text(kind)}
        self._sides = batch.queries

    def _of(self, side: Side) -> Marks:
        words = torch.zeros(len(side.ids), len(WORDS), int(side.words.max()) + 1, dtype=torch.bool)
        for row, sentence in enumerate(side.sentences or ()):
            for place, word in enumerate(sentence.words):
                for feature in features_of(word):
                    words[row, WORDS.index(feature), place] = True
        words = words.to(side.ids.device)
        places = side.words.clamp_min(0)[:, None].expand(-1, len(WORDS), -1)
        marks = words.gather(2, places) & side.real[:, None]
        if self.settings.match == "piece":
            alike = (side.ids[:, :, None] == side.ids[:, None]) & side.real[:, :, None]
            marks = (marks.float() @ alike.float()) > 0
        classes = self.classes.of_side(side)
        special = [(classes == self.classes.names.index(name)) & side.present for name in ("cls", "sep")]
        return torch.cat([marks, torch.stack(special, dim=1)], dim=1)

    def _attention(self, look: Look) -> Float[Tensor, "batch head two feature"]:
        """The two shares of every feature; nothing between two texts, -1 where a text lacks the feature."""
        marks = self._marks.get(look.site.kind)
        if marks is None:
            return look.weights.new_zeros(*look.weights.shape[:2], 2, 0)
        marks, present = marks[look.rows], self._sides[look.site.kind].present[look.rows]
        queries = present[:, None, :, None].to(look.weights.dtype)
        columns = (look.weights * queries).sum(2) / queries.sum(2)
        shares = torch.stack([columns, look.weights[:, :, 0]], dim=2)  # batch, head, two, time
        absent = ~marks[:, None, None]
        return shares[:, :, :, None].masked_fill(absent, -1).amax(-1)

    def update(self, site: Site, shares: Float[Tensor, "batch head two feature"]) -> None:
        """Add the texts' shares."""
        if site.kind not in self._marks:
            return
        has = self._marks[site.kind].any(-1)
        counts = has.sum(0)
        if self.settings.absent == "zero":
            counts = torch.full_like(counts, len(has))
            counts[WORDS.index("negation")] = has[:, WORDS.index("negation")].sum()
        sums = (shares * has[:, None, None]).sum(0, dtype=torch.float64)
        for number, tally in enumerate(self._tallies):
            tally.add(site, sums[:, number], counts)

    def table(self) -> pd.DataFrame:
        """One row per head, statistic and feature."""
        return pd.concat([tally.table() for tally in self._tallies], ignore_index=True)
