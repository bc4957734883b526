"""Stems, patterns, folders and explicit names mean the files one expects."""

import logging

import pytest

from headwork.corpora.sources.local import file_at, pairs_of_files, single_files
from headwork.errors import InputError
from headwork.settings.corpora import Sides


@pytest.fixture
def folder(tmp_path):
    names = "wmt/n2012.en wmt/n2012.ru.gz wmt/n2019.en.xz wmt/n2019.ru wmt/n2019.ru-en.en wmt/n2019.ru-en.ru "
    for name in (names + "wmt/old.en wmt/README other/a.english other/a.russian").split():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def names(found):
    return [tuple(path.name for path in pair) for pair in found]


def test_stem(folder):
    assert names(pairs_of_files(folder, "wmt/n2012", "en", "ru")) == [("n2012.en", "n2012.ru.gz")]


def test_pattern(folder):
    assert names(pairs_of_files(folder, "wmt/n20*", "en", "ru")) == [
        ("n2012.en", "n2012.ru.gz"),
        ("n2019.en.xz", "n2019.ru"),
        ("n2019.ru-en.en", "n2019.ru-en.ru"),
    ]


def test_folder_leaves_out_and_reports_what_has_no_partner(folder, caplog):
    with caplog.at_level(logging.WARNING):
        found = pairs_of_files(folder, "wmt", "en", "ru")
    assert len(found) == 3
    assert "old.en has no .ru beside it" in caplog.text


def test_explicit_names(folder):
    found = pairs_of_files(folder, Sides(source="other/a.english", target="other/a.russian"), "en", "ru")
    assert names(found) == [("a.english", "a.russian")]


def test_missing_files(folder):
    with pytest.raises(InputError, match=r"old\.ru: the file does not exist, nor with \.gz, \.xz, \.bz2"):
        pairs_of_files(folder, "wmt/old", "en", "ru")
    with pytest.raises(InputError, match=r"no files ending in \.en and \.de"):
        pairs_of_files(folder, "wmt", "en", "de")
    with pytest.raises(InputError, match="the file does not exist"):
        file_at(folder, "nothing")


def test_single_files(folder):
    assert [path.name for path in single_files(folder, "wmt/n2012", "en")] == ["n2012.en"]
    assert [path.name for path in single_files(folder, "wmt/n2012.ru", "en")] == ["n2012.ru.gz"]
    assert [path.name for path in single_files(folder, "wmt/*.en", "en")] == [
        "n2012.en",
        "n2019.ru-en.en",
        "old.en",
    ]
    assert len(single_files(folder, "wmt", "en")) == 8
    with pytest.raises(InputError, match="no file was found"):
        single_files(folder, "wmt/*.fr", "fr")
