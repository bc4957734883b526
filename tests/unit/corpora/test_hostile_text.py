"""Hostile text: lines without an end, paths out of the data folder, marks that turn the text of a page around."""

import gzip
import tracemalloc

import pytest
from jinja2.utils import markupsafe

from headwork.corpora.parallel.cleaning import Cleaning
from headwork.corpora.sources.local import file_at, pairs_of_files, single_files
from headwork.corpora.sources.readers import LONGEST, lines
from headwork.errors import InputError
from headwork.papers.gallery.pages import without_overrides


@pytest.mark.parametrize(("name", "opened"), [("long.txt", open), ("long.txt.gz", gzip.open)])
def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path, name, opened):
    with opened(tmp_path / name, "wb") as file:
        file.write(b"a line\n")
        for _ in range(60):
            file.write(b"a" * 1_000_000)
    tracemalloc.start()
    with pytest.raises(
        InputError, match=rf"{name}:2: the line is longer than 10,000,000 bytes; give each paragraph"
    ):
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
        lambda: pairs_of_files(folder, {"source": path, "target": "a"}, "en", "ru"),
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


def test_a_nul_byte_is_a_control_character():
    assert Cleaning().raw_fault("a \0 b", "a b") == "control characters"


@pytest.mark.parametrize("kind", [str, markupsafe.Markup])
def test_text_of_a_page_cannot_turn_its_neighbours_around(kind):
    shown = without_overrides(kind("head \u202e7-3\u202c is \u2066here\u2069"))
    assert (type(shown), shown) == (kind, "head 7-3 is here")
    assert without_overrides(3) == 3
