"""Words with their tags, from treebanks and column files; what does not align is said with file and line."""

import re

import pytest

from headwork.corpora.sources.local import file_at
from headwork.errors import InputError
from headwork.parses.tagged import read_columns, read_treebank_tags

CONLL_2000 = "the DT B-NP\ncat NN I-NP\nsleeps VBZ B-VP\n\nit PRP B-NP\n"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "tags.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_columns(file):
    first, second = read_columns(file(CONLL_2000), column=3)
    assert first.words == ["the", "cat", "sleeps"]
    assert first.tags == ["B-NP", "I-NP", "B-VP"]
    assert (first.line, second.line) == (1, 5)
    assert [each.tags for each in read_columns(file(CONLL_2000))] == [["DT", "NN", "VBZ"], ["PRP"]]


def test_two_cells_with_a_tab_between_them(file):
    (found,) = read_columns(file("New York\tLOC\nis\tO\n"), separator="\t")
    assert found.words == ["NewYork", "is"]
    assert found.tags == ["LOC", "O"]


def test_documents_are_marked_and_phrases_that_touch_are_told_apart(file):
    rows = ["-DOCSTART- -X- O O", "", "U.N. NNP I-NP I-ORG", "Ekeus NNP I-NP I-PER", "and CC I-NP O"]
    rows += ["Bo NNP I-NP I-PER", "Li NNP B-NP B-PER", "X NNP I-NP I-PER", ""]
    text = "\n".join(rows)
    (found,) = read_columns(file(text), column=4, scheme="iob1")
    assert found.tags == ["B-ORG", "B-PER", "O", "B-PER", "B-PER", "I-PER"]
    (chunks,) = read_columns(file(text), column=3, scheme="iob1")
    assert chunks.tags == ["B-NP", "I-NP", "I-NP", "I-NP", "B-NP", "I-NP"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (CONLL_2000.replace("NN I-NP", "I-NP"), 2, "2 columns where the rows before have 3"),
        ("the\tDT\ncat\n", 2, "1 column where the rows before have 2"),
        ("a b c\n", 1, "the row has 3 columns, but the tag is asked for in column 4"),
    ],
)
def test_a_file_that_does_not_align(file, text, line, message):
    path = file(text)
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}:{line}: {message}") as error:
        list(read_columns(path, column=4 if "column 4" in message else 2))
    assert "\n" not in str(error.value)


def test_an_empty_tag_is_no_tag(file):
    with pytest.raises(InputError, match=r"tags\.txt:2: .*correct the row"):
        list(read_columns(file("the\tDT\ncat\t\n"), separator="\t"))


ROWS = """# sent_id = 1
1\tBo\tBo\tPROPN\tNNP\tNumber=Sing\t3\tnsubj\t_\tChunk=B-NP|Entity=B-PER
2\thas\thave\tAUX\tVBZ\tTense=Pres\t3\taux\t_\tChunk=B-VP
3\tslept\tsleep\tVERB\tVBN\tTense=Past\t0\troot\t_\tChunk=I-VP
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""


def test_tags_of_a_treebank(file):
    path = file(ROWS)
    wanted = {
        "upos": ["PROPN", "AUX", "VERB", "PUNCT"],
        "xpos": ["NNP", "VBZ", "VBN", "."],
        "chunk": ["B-NP", "B-VP", "I-VP", "O"],
        "entity": ["B-PER", "O", "O", "O"],
        "semantic": ["PER", "NOW", "EXT", "NIL"],
    }
    for tag, tags in wanted.items():
        (found,) = read_treebank_tags(path, tag)
        assert found.tags == tags
    assert found.words == ["Bo", "has", "slept", "."]


def test_a_treebank_without_the_tags(file):
    with pytest.raises(
        InputError, match=r"tags\.txt: no word of the treebank has a tag of the kind 'entity'"
    ):
        list(read_treebank_tags(file(ROWS.replace("|Entity=B-PER", "")), "entity"))
    with pytest.raises(InputError, match=r"tags\.txt:1: 'has' of the sentence that starts here has no xpos"):
        list(read_treebank_tags(file(ROWS.replace("\tVBZ\t", "\t_\t")), "xpos"))
    with pytest.raises(InputError, match="a treebank has no tags 'role'"):
        list(read_treebank_tags(file(ROWS), "role"))


def test_the_shared_tasks_themselves(real_data):
    chunks = next(read_columns(file_at(real_data, "conll2000/train.txt"), column=3))
    assert chunks.words[:3] == ["Confidence", "in", "the"]
    assert chunks.tags[:3] == ["B-NP", "B-PP", "B-NP"]
    entities = list(read_columns(file_at(real_data, "conll2003/eng.testa"), column=4, scheme="iob1"))
    assert len(entities) == 3250
    tags = {tag for sentence in entities for tag in sentence.tags}
    assert tags == {"O", *(f"{place}-{kind}" for place in "BI" for kind in ("LOC", "MISC", "ORG", "PER"))}
