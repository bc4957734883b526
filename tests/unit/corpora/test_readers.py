"""Text, compressed text, CoNLL-U and tables; and the sentence that each kind of damage gets."""

import gzip
import lzma

import pytest

from headwork.corpora.sources.readers import conllu, format_of, lines, table
from headwork.errors import InputError


def write(path, content):
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opened(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["a.en", "a.en.gz", "a.en.xz"])
def test_lines_of_plain_and_compressed_text(tmp_path, name):
    path = write(tmp_path / name, "\ufeffone two\r\n\nthree")
    assert list(lines(path)) == [(1, "one two"), (2, ""), (3, "three")]


def test_only_a_line_feed_ends_a_line(tmp_path):
    path = write(tmp_path / "a.en", "a\u2028b\x0cc\rd\x85e\nf\n")
    assert [text for _, text in lines(path)] == ["a\u2028b\x0cc\rd\x85e", "f"]


def test_invalid_utf8_is_named_with_file_line_and_byte(tmp_path):
    path = write(tmp_path / "a.en", b"fine\nnot \xff fine\n")
    with pytest.raises(InputError, match=r"a\.en:2: byte 5 of the line is not UTF-8; convert"):
        list(lines(path))


@pytest.mark.parametrize(
    ("name", "content"), [("a.en", b""), ("a.en.gz", gzip.compress(b"", mtime=0)), ("b.en.gz", b"")]
)
def test_empty_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"\.en.*the file is empty"):
        list(lines(tmp_path / name))


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_truncated_compressed_file_and_one_that_is_not_compressed(tmp_path, ending, pack):
    path = tmp_path / f"a.en{ending}"
    path.write_bytes(pack(b"".join(f"{number} {number**5}\n".encode() for number in range(3000)))[:-2000])
    with pytest.raises(InputError, match=r"a\.en.*:\d+: the compressed file is truncated or damaged"):
        list(lines(path))
    path.write_bytes(b"plain text\n")
    with pytest.raises(InputError, match="truncated or damaged"):
        list(lines(path))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.en: the file cannot be read \(No such file"):
        list(lines(tmp_path / "none.en"))


TREES = """# text = He doesn't pay 10 000 .
1\tHe\the\tPRON\t_\t_\t4\tnsubj\t_\t_
2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdoes\tdo\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
4\tpay\tpay\tVERB\t_\t_\t0\troot\t_\t_
4.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
5\t10 000\t10 000\tNUM\t_\t_\t4\tobj\t_\t_

1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_
"""


def test_conllu_gives_syntactic_words_and_the_first_line(tmp_path):
    path = write(tmp_path / "a.conllu.gz", TREES)
    assert list(conllu(path)) == [(2, "He does n't pay 10000"), (10, "Yes")]


def test_conllu_with_a_short_line(tmp_path):
    path = write(tmp_path / "a.conllu", TREES.replace("root\t_\t_\n4.1", "root\n4.1"))
    with pytest.raises(InputError, match=r"a\.conllu:6: 8 columns where CoNLL-U has 10"):
        list(conllu(path))


def test_table_by_number_and_by_name(tmp_path):
    path = write(tmp_path / "a.tsv", 'en\tid\tru\nYes "\t7\tДа "\n')
    row = {"source": 'Yes "', "target": 'Да "'}
    assert list(table(path, {"source": "en", "target": "ru"})) == [(2, row)]
    assert list(table(path, {"source": 1, "target": 3}))[1] == (2, row)
    assert list(table(path, {"source": "en", "target": 3})) == [(2, row)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": "en", "target": "de"}, r":1: no column 'de'; the header has en, ru"),
        ({"source": 1, "target": 2}, r":3: 1 columns, but column 2 is asked for"),
        # Python would count it from the end
        ({"source": 0, "target": 1}, r": there is no column 0; `columns` counts them from 1"),
    ],
)
def test_table_without_the_column(tmp_path, columns, message):
    path = write(tmp_path / "a.tsv", "en\tru\nYes\tДа\nNo\n")
    with pytest.raises(InputError, match=rf"a\.tsv{message}"):
        list(table(path, columns))


def test_format_by_ending(tmp_path):
    names = ("a.en", "a.conllu.gz", "a.tsv", "a.sgm", "a.xml.xz")
    assert [format_of(tmp_path / name) for name in names] == ["text", "conllu", "tsv", "sgm", "xml"]
