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


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("wmt/n2012", "n2012.en n2012.ru.gz"),
        ("wmt/n20*", "n2012.en n2012.ru.gz n2019.en.xz n2019.ru n2019.ru-en.en n2019.ru-en.ru"),
        (Sides(source="other/a.english", target="other/a.russian"), "a.english a.russian"),
    ],
    ids=["stem", "pattern", "explicit names"],
)
def test_pairs(folder, path, expected):
    found = pairs_of_files(folder, path, "en", "ru")
    assert " ".join(side.name for pair in found for side in pair) == expected


def test_folder_leaves_out_and_reports_what_has_no_partner(folder, caplog):
    with caplog.at_level(logging.WARNING):
        found = pairs_of_files(folder, "wmt", "en", "ru")
    assert len(found) == 3
    assert "old.en has no .ru beside it" in caplog.text


def test_missing_files(folder):
    with pytest.raises(InputError, match=r"old\.ru: the file does not exist, nor with \.gz, \.xz, \.bz2"):
        pairs_of_files(folder, "wmt/old", "en", "ru")
    with pytest.raises(InputError, match=r"no files ending in \.en and \.de"):
        pairs_of_files(folder, "wmt", "en", "de")
    with pytest.raises(InputError, match="the file does not exist"):
        file_at(folder, "nothing")


def test_single_files(folder):
    wanted = {
        "wmt/n2012": "n2012.en",
        "wmt/n2012.ru": "n2012.ru.gz",
        "wmt/*.en": "n2012.en n2019.ru-en.en old.en",
    }
    for path, expected in wanted.items():
        assert " ".join(found.name for found in single_files(folder, path, "en")) == expected
    assert len(single_files(folder, "wmt", "en")) == 8
    with pytest.raises(InputError, match="no file was found"):
        single_files(folder, "wmt/*.fr", "fr")
