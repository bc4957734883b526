"""Stanford Dependencies labels for those of Universal Dependencies.

Clark et al. (2019) label relations with Stanford's basic dependencies (de Marneffe and Manning 2008); today's treebanks
and parsers use Universal Dependencies 2 (https://universaldependencies.org/u/dep). Many labels do not cover exactly the
same arcs: `difference` gives the reason, and accuracies on the two are then not comparable.
"""

from typing import NamedTuple

from headwork.parses.scores import main_label


class Counterpart(NamedTuple):
    """A UD label, the Stanford label nearest to it ("": there is none), and how their arcs differ ("": they do not)."""

    universal: str
    stanford: str
    difference: str = ""

    @property
    def exact(self) -> bool:
        """Whether both labels are on the same arcs."""
        return not self.difference


_REVERSED = "reversed: UD attaches the preposition to its noun, Stanford the noun to its preposition"
_NONE = "Stanford has no such label"
_COORDINATION = "UD 2 attaches the conjunction to the following conjunct, Stanford to the first one"

COUNTERPARTS = (
    Counterpart("nsubj", "nsubj"),
    Counterpart("nsubj:pass", "nsubjpass"),
    Counterpart("csubj", "csubj"),
    Counterpart("csubj:pass", "csubjpass"),
    Counterpart("obj", "dobj"),
    Counterpart("iobj", "iobj"),
    Counterpart("ccomp", "ccomp"),
    Counterpart("xcomp", "xcomp", "UD includes adjectives as complements, Stanford's acomp"),
    Counterpart("advcl", "advcl", "UD includes infinitives of purpose, Stanford's purpcl in some versions"),
    Counterpart("advmod", "advmod", "UD 2 includes negation, Stanford's neg"),
    Counterpart("amod", "amod"),
    Counterpart("appos", "appos"),
    Counterpart("aux", "aux", "Stanford includes the infinitive's to, UD's mark"),
    Counterpart("aux:pass", "auxpass"),
    Counterpart("cop", "cop"),
    Counterpart("mark", "mark", "UD includes the infinitive's to, Stanford's aux"),
    Counterpart("det", "det"),
    Counterpart("det:predet", "predet"),
    Counterpart("nummod", "num"),
    Counterpart("compound", "nn", "UD includes parts of numbers, Stanford's number"),
    Counterpart("compound:prt", "prt"),
    Counterpart("flat", "nn", "UD attaches the parts of a name to its first word, Stanford to its last"),
    Counterpart("fixed", "mwe"),
    Counterpart("nmod:poss", "poss"),
    Counterpart("case", "prep", _REVERSED),
    Counterpart("nmod", "pobj", _REVERSED),
    Counterpart("obl", "pobj", _REVERSED),
    Counterpart("nmod:npmod", "npadvmod"),
    Counterpart("obl:npmod", "npadvmod"),
    Counterpart("nmod:unmarked", "npadvmod", "UD includes temporal modifiers, Stanford's tmod"),
    Counterpart("obl:unmarked", "npadvmod", "UD includes temporal modifiers, Stanford's tmod"),
    Counterpart("nmod:tmod", "tmod"),
    Counterpart("obl:tmod", "tmod"),
    Counterpart("acl", "partmod", "UD includes infinitives and finite clauses of nouns"),
    Counterpart("acl:relcl", "rcmod"),
    Counterpart("cc", "cc", _COORDINATION),
    Counterpart("cc:preconj", "preconj"),
    Counterpart("conj", "conj"),
    Counterpart("expl", "expl"),
    Counterpart("discourse", "discourse"),
    Counterpart("goeswith", "goeswith"),
    Counterpart("parataxis", "parataxis"),
    Counterpart("punct", "punct"),
    Counterpart("root", "root"),
    Counterpart("dep", "dep"),
    Counterpart("clf", "", _NONE),
    Counterpart("dislocated", "", _NONE),
    Counterpart("list", "", _NONE),
    Counterpart("orphan", "", _NONE),
    Counterpart("reparandum", "", _NONE),
    Counterpart("vocative", "", _NONE),
)

_BY_LABEL = {each.universal: each for each in COUNTERPARTS}


def counterpart(deprel: str) -> Counterpart | None:
    """The entry of a UD label, of its main label if its subtype has none; None for labels that are not UD's."""
    return _BY_LABEL.get(deprel) or _BY_LABEL.get(main_label(deprel))
