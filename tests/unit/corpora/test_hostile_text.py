"""Hostile text: lines without an end, paths out of the data folder, marks that turn the text of a page around."""

import gzip
import os
import tracemalloc

import pytest
from jinja2.utils import markupsafe

from headwork.corpora.sources.local import file_at, pairs_of_files, single_files
from headwork.corpora.sources.readers import LONGEST, lines
from headwork.errors import InputError
from headwork.run.directional import shown
from headwork.settings.corpora import Sides


@pytest.mark.parametrize("name", ["long.txt", "long.txt.gz"])
def test_a_line_of_a_gigabyte_does_not_fill_the_memory(tmp_path, name):
    """Of NUL bytes, which take no space on disk; packed, they are as much as fits into a few reads."""
    if name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"a line\n" + bytes(60_000_000), compresslevel=1))
    else:
        (tmp_path / name).write_bytes(b"a line\n")
        os.truncate(tmp_path / name, 1 << 30)
    tracemalloc.start()
    with pytest.raises(InputError, match=rf"{name}:2: the line is longer than 10,000,000 bytes"):
        list(lines(tmp_path / name))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * LONGEST


def test_the_longest_line_that_is_read(tmp_path):
    (tmp_path / "text").write_bytes(b"a" * (LONGEST - 1) + b"\nb")
    assert [len(line.text) for line in lines(tmp_path / "text")] == [LONGEST - 1, 1]


@pytest.mark.parametrize("path", ["../secret.en", "/etc/passwd", "text/../../secret.en", "a\0b"])
def test_a_path_stays_in_the_data_folder(tmp_path, path):
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "secret.en").touch()
    finders = [
        lambda: file_at(folder, path),
        lambda: single_files(folder, path, "en"),
        lambda: pairs_of_files(folder, path, "en", "ru"),
        lambda: pairs_of_files(folder, Sides(source=path, target="a"), "en", "ru"),
    ]
    for find in finders:
        with pytest.raises(InputError, match="leads out of the data folder; give one below"):
            find()


def test_a_link_in_the_data_folder_is_followed(tmp_path):
    (tmp_path / "corpus.en").write_text("a\n")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "corpus.en").symlink_to(tmp_path / "corpus.en")
    assert file_at(folder, "corpus.en").read_text() == "a\n"


@pytest.mark.parametrize("kind", [str, markupsafe.Markup])
def test_text_of_a_page_cannot_turn_its_neighbours_around(kind):
    text = shown(kind("head \u202e7-3\u202c is \u2066here"))
    assert (type(text), text) == (kind, "head \\u202e7-3\\u202c is \\u2066here")
    assert shown(3) == 3
