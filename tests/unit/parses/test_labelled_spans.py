"""Labelled spans from every format, and annotation that cannot be used."""

import pytest

from headwork.errors import InputError
from headwork.parses.brackets import read_brackets
from headwork.parses.conllu import Sentence, Word
from headwork.parses.labelled_spans import Edge, phrases, read_edges, subtree

# "the cat saw her kitten in Rome ."
ROWS = [
    ("the", "DET", "DT", 2, "det", "Chunk=B-NP"),
    ("cat", "NOUN", "NN", 3, "nsubj", "Chunk=I-NP|Role=A0:3|Coref=1"),
    ("saw", "VERB", "VBD", 0, "root", "Chunk=B-VP|Sense=see%1"),
    ("her", "PRON", "PRP$", 5, "nmod:poss", "Chunk=B-NP|Coref=1"),
    ("kitten", "NOUN", "NN", 3, "obj", "Chunk=I-NP|Role=A1:3,R-A0:3|Coref=2"),
    ("in", "ADP", "IN", 7, "case", "Chunk=B-PP"),
    ("Rome", "PROPN", "NNP", 3, "obl", "Chunk=B-NP|Entity=B-LOC|Role=AM-LOC:3|Coref=3"),
    (".", "PUNCT", ".", 3, "punct", "_"),
]


def conllu(rows=ROWS):
    text = ""
    for place, (form, upos, xpos, head, relation, misc) in enumerate(rows, start=1):
        text += f"{place}\t{form}\t{form}\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{misc}\n"
    return text + "\n"


@pytest.fixture
def read(tmp_path):
    def edges(task, text=None, form="treebank", name="text.conllu", **more):
        path = tmp_path / name
        path.write_text(conllu() if text is None else text)
        return list(read_edges(path, task, form, **more))

    return edges


def test_every_task_of_a_treebank(read):
    def found(task):
        (sentence,) = read(task)
        assert len(sentence.words) == 8
        return sentence.edges

    assert [edge.labels[0] for edge in found("pos")] == [row[2] for row in ROWS]
    assert found("chunks")[:2] == [Edge((0, 2), None, ("NP",)), Edge((2, 3), None, ("VP",))]
    assert found("entities") == [Edge((6, 7), None, ("LOC",))]
    phrases = [((0, 2), "NP"), ((0, 8), "S"), ((3, 5), "NP"), ((5, 7), "PP")]
    assert found("constituents") == [Edge(span, None, (label,)) for span, label in phrases]
    dependencies = found("dependencies")
    assert Edge((1, 2), (2, 3), ("nsubj",)) in dependencies
    assert len(dependencies) == 7  # the root has no head
    # the predicate, then the argument; the reference to A0 is left out
    roles = [((0, 2), "A0"), ((3, 5), "A1"), ((5, 7), "AM-LOC")]
    assert found("roles") == [Edge((2, 3), span, (label,)) for span, label in roles]
    assert found("senses") == [Edge((2, 3), None, ("see%1",))]
    same, other = found("coreference")
    assert same == Edge((3, 4), (0, 2), ("coreferent",))
    assert other.labels == ()  # as many others as coreferent pairs


def test_a_subtree_with_a_gap_is_none():
    heads = [3, 0, 2, 3]
    sentence = Sentence([Word(f"w{place}", head=head, deprel="dep") for place, head in enumerate(heads)])
    assert subtree(sentence, 2) is None  # words 1, 3 and 4
    assert subtree(sentence, 1) == (0, 4)
    assert subtree(sentence, 2, frozenset(["dep"])) == (2, 3)


def test_phrases_of_tags():
    found = phrases(["B-NP", "I-NP", "B-NP", "O", "I-VP", "I-NP"])
    expected = [((0, 2), "NP"), ((2, 3), "NP"), ((4, 5), "VP"), ((5, 6), "NP")]
    assert found == [Edge(span, None, (label,)) for span, label in expected]


def test_columns(read):
    (sentence,) = read("entities", "EU NNP I-ORG\nrejects VBZ O\n\n", "columns", column=3, scheme="iob1")
    assert sentence.edges == [Edge((0, 1), None, ("ORG",))]
    with pytest.raises(InputError, match="edge probes: no reader of roles from the format 'columns'"):
        read("roles", "", "columns")


def test_brackets(read):
    text = "((S (NP-SBJ=1 (DT the)\n (NN cat)) (VP (VBD saw) (NP (-NONE- *T*-1)) (PRT-X (RP up)))))\n"
    (tree,) = read("constituents", text, "brackets", "trees.mrg")
    assert tree.words == ["the", "cat", "saw", "up"]
    expected = [((0, 2), "NP"), ((3, 4), "PRT"), ((2, 4), "VP"), ((0, 4), "S")]
    assert tree.edges == [Edge(span, None, (label,)) for span, label in expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("((S (NN cat))\n", "the tree that begins here is not closed"),
        ("((S (NN cat))))\n", "a bracket is closed that was not opened"),
        ("((S (NN cat dog)))\n", r"the bracket \(NN cat dog\) has more than a tag and a word"),
    ],
)
def test_brackets_that_are_not_trees(tmp_path, text, message):
    (tmp_path / "trees.mrg").write_text(text)
    with pytest.raises(InputError, match=f"trees.mrg:1: {message}"):
        list(read_brackets(tmp_path / "trees.mrg"))


def test_gap(read):
    head = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    row = "x-1\tAnn met Bea. She ran.\tShe\t13\tAnn\t0\tFALSE\tBea\t8\tTRUE\thttp\n"
    (passage,) = read("coreference", head + row, "gap", "gap.tsv")
    assert passage.edges == [Edge((4, 5), (0, 1), ()), Edge((4, 5), (2, 3), ("coreferent",))]


def test_senses(read):
    rows = "the\tDT\t_\t_\t_\nbank\tNN\tbank\tbank%1:17:01::;1:14:00::\t1\n\n"
    (sentence,) = read("senses", rows, "senses", "semcor.tsv")
    assert sentence.edges == [Edge((1, 2), None, ("bank%1:17:01::", "bank%1:14:00::"))]


def test_annotation_that_cannot_be_used(read):
    outside = [*ROWS[:1], ("cat", "NOUN", "NN", 3, "nsubj", "Role=A0:99"), *ROWS[2:]]
    with pytest.raises(
        InputError, match=r"text\.conllu:1: roles: a span has words 99 to 99, but the sentence"
    ):
        read("roles", conllu(outside))
    with pytest.raises(InputError, match="no span has a label of the task entities"):
        read("entities", conllu(ROWS[:5]))
