"""Reading and writing CoNLL-U, and what is refused."""

import gzip

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, check_tree, read_conllu, read_trees, write_conllu

TREEBANK = """\
# newdoc
# sent_id = one
# text = I don't see her.
1\tI\tI\tPRON\tPRP\tCase=Nom|Person=1\t4\tnsubj\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\tUrl=a=b|Flag
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
3.1\tever\tever\tADV\t_\t_\t_\t_\t_\t_
4\tsee\tsee\tVERB\t_\t_\t0\troot\t_\t_
5\ther\tshe\tPRON\t_\tPerson=3\t4\tobj\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

1\t_\t_\tSYM\t_\t_\t0\troot\t_\t_
"""


def _rows(*heads, deprel="dep"):
    """A sentence of words a, b, c ... with these heads."""
    rows = ""
    for number, head in enumerate(heads, start=1):
        relation = "root" if head == 0 else deprel
        rows += f"{number}\t{chr(96 + number)}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
    return rows + "\n"


@pytest.fixture
def write(tmp_path):
    def put(text, name="trees.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def test_columns_comments_and_lines(write):
    first, second = read_conllu(write(TREEBANK))
    assert first.forms == ["I", "do", "n't", "see", "her", "."]
    assert [word.head for word in first.words] == [4, 4, 4, 0, 4, 4]
    feats = {"Case": "Nom", "Person": "1"}
    assert first.words[0] == Word("I", "I", "PRON", "PRP", feats, 4, "nsubj", "4:nsubj")
    assert first.words[1].misc == {"Url": "a=b", "Flag": ""}
    assert first.comments == {"newdoc": None, "sent_id": "one", "text": "I don't see her."}
    assert (first.sent_id, first.text, first.line) == ("one", "I don't see her.", 1)
    assert second.words == [Word("_", None, "SYM", head=0, deprel="root")]
    assert (second.sent_id, second.text, second.line) == (None, "_", 13)


def test_what_is_written_is_read_back(write, tmp_path):
    sentences = list(read_conllu(write(TREEBANK)))
    again = tmp_path / "deep" / "again.conllu"
    assert write_conllu(again, iter(sentences)) == 2
    assert list(read_conllu(again)) == sentences
    rows = [row for row in TREEBANK.splitlines() if not row.startswith(("2-3", "3.1"))]
    assert again.read_text(encoding="utf-8").splitlines() == [*rows, ""]


def test_separators_inside_words_end_no_line(write, tmp_path):
    forms = ["10\u00a0000", "a\u2028b", "cafe\u0301", "\U0001f469\u200d\U0001f469", "\u0085x"]
    words = [Word(form, head=max(0, number), deprel="dep") for number, form in enumerate(forms)]
    write_conllu(tmp_path / "odd.conllu", [Sentence(words)])
    (sentence,) = read_trees(tmp_path / "odd.conllu")
    assert sentence.forms == forms


def test_compressed(write, tmp_path):
    path = write(gzip.compress(TREEBANK.encode()), "trees.conllu.gz")
    assert len(list(read_trees(path))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\t_\tX\n", r"bad\.conllu:1: a row of CoNLL-U has 10 columns .* this has 4"),
        (_rows(0).replace("1\t", "1 ", 1), r"bad\.conllu:1: .* this has 9"),
        (_rows(0) + "# x = y\n" + _rows(2, "zero"), r"bad\.conllu:5: malformed row: .*head.*'zero'"),
        (_rows(0).replace("1", "one", 1), r"bad\.conllu:1: malformed row: .*'one' is not a valid ID"),
        (_rows(0, 1).replace("2\tb", "3\tb"), r"bad\.conllu:2: word 2 .* should come here, the row says 3"),
        (_rows(0).replace("1\ta", "1\t"), r"bad\.conllu:1: the word is empty"),
        ("# text = nothing\n\n" + _rows(0), r"bad\.conllu:1: a sentence without words"),
        ("", r"bad\.conllu: the file is empty"),
        (_rows(0).encode() + b"1\t\xff\n", r"bad\.conllu:3: .*UTF-8"),
    ],
)
def test_malformed_rows_are_refused_with_file_and_line(write, text, message):
    with pytest.raises(InputError, match=message):
        list(read_conllu(write(text, "bad.conllu")))


def test_absent_and_damaged_files(write, tmp_path):
    with pytest.raises(InputError, match=r"absent\.conllu: "):
        list(read_conllu(tmp_path / "absent.conllu"))
    whole = gzip.compress(TREEBANK.encode())
    with pytest.raises(InputError, match=r"half\.conllu\.gz.* (damaged|truncated)"):
        list(read_conllu(write(whole[: len(whole) // 2], "half.conllu.gz")))


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((2, 3, 1), r"it has 0 roots"),
        ((0, 3, 4, 2), r"words 2, 3, 4 form a cycle"),
        ((0, 2), r"words 2 form a cycle"),
        ((0, 0), r"it has 2 roots"),
        ((0, 7), r"word 2, 'b', has the head 7, which does not exist"),
        ((0, "_"), r"word 2, 'b', has no head"),
    ],
)
def test_what_is_no_tree_is_refused(write, heads, message):
    path = write(_rows(2, 0) + _rows(*heads), "cyclic.conllu")
    assert len(list(read_conllu(path))) == 2
    with pytest.raises(InputError, match=rf"cyclic\.conllu:4: .*{message}"):
        list(read_trees(path))


def test_long_chains_are_trees(write):
    check_tree(next(read_conllu(write(_rows(*range(26))))), "chain")


def test_nothing_half_written_remains(write, tmp_path):
    path = tmp_path / "out.conllu"
    path.write_text("as before")

    def breaking():
        yield Sentence([Word("a")])
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        write_conllu(path, breaking())
    with pytest.raises(InputError, match=r"sentence 1 has the word 'a\\tb'"):
        write_conllu(path, [Sentence([Word("a\tb")])])
    assert [file.name for file in tmp_path.iterdir()] == ["out.conllu"]
    assert path.read_text() == "as before"
