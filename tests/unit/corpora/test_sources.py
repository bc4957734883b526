"""Descriptions of sources become streams of pairs; mistakes in them are named before anything is read."""

import hashlib
import zipfile

import pytest

from headwork.corpora.sources import Places, local_files, open_sources
from headwork.errors import InputError


@pytest.fixture
def places(tmp_path):
    for name in ("data", "world", "downloads"):
        (tmp_path / name).mkdir()
    return Places(*(tmp_path / name for name in ("data", "world", "downloads")))


def opened(places, *sources, target="ru", **corpus):
    return open_sources({"source": "en", "target": target, "sources": list(sources), **corpus}, places)


def texts(source):
    return [(pair.source, pair.target) for pair in source.pairs()]


def test_embedded_takes_words_from_the_trees(places):
    (places.world / "news.conllu").write_text(
        "1\tHello\t_\t_\t_\t_\t_\t_\t_\t_\n2\t!\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    (places.world / "news.karvan.txt").write_text("salu !\n")
    source = opened(places, {"type": "embedded", "domain": "news"}, target="karvan")[0]
    assert (source.name, source.tokenised, texts(source)) == ("world news", True, [("Hello !", "salu !")])
    with pytest.raises(
        InputError, match=r"films\.conllu: the miniature world has no such file; check `domain`"
    ):
        opened(places, {"type": "embedded", "domain": "films"}, target="karvan")


def test_local_pattern_and_several_paths(places):
    for name in ("n1", "n2", "other"):
        (places.data / f"{name}.en").write_text(f"{name}\n")
        (places.data / f"{name}.ru").write_text("да\n")
    source = opened(places, {"type": "local", "path": ["other", "n?"]})[0]
    assert [text for text, _ in texts(source)] == ["other", "n1", "n2"]
    assert source.name == "other, n?"


def test_local_table_devset_and_monolingual(places):
    (places.data / "t.tsv").write_text("1\tyes\tда\n")
    (places.data / "m.en").write_text("a\nb\n")
    (places.data / "s.xml").write_text(
        '<doc><src lang="en"><seg id="1">a</seg></src><ref lang="ru"><seg id="1">а</seg></ref></doc>'
    )
    table = {"type": "local", "path": "t.tsv", "columns": {"source": 2, "target": 3}}
    assert [texts(source) for source in opened(places, table, {"type": "local", "path": "s.xml"})] == [
        [("yes", "да")],
        [("a", "а")],
    ]
    assert texts(opened(places, {"type": "local", "path": "m"}, target=None)[0]) == [("a", None), ("b", None)]


def test_download_of_a_zip_with_moses_files(places, monkeypatch):
    archive = places.downloads / "en-ru.txt.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("Films.en-ru.en", "yes\nno\n")
        packed.writestr("Films.en-ru.ru", "да\nнет\n")
    # it lies there already, with the right checksum, so nothing is asked of the net
    description = {
        "type": "download",
        "url": "https://example.org/Films/en-ru.txt.zip",
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
        "member": {"source": "Films.en-ru.en", "target": "Films.en-ru.ru"},
        "licence": "see the site",
    }
    source = opened(places, description)[0]
    assert (source.name, texts(source)) == ("Films.en-ru.en", [("yes", "да"), ("no", "нет")])
    assert "Licence: see the site" in (places.downloads / "en-ru.txt.zip.licence.txt").read_text()


def test_download_of_two_files_and_of_one_table(places):
    sums = {}
    for name, text in (("a.en", "yes\n"), ("a.ru", "да\n"), ("b.tsv", "yes\tда\n")):
        (places.downloads / name).write_text(text)
        sums[name] = hashlib.sha256(text.encode()).hexdigest()
    two = {
        "type": "download",
        "url": {"source": "https://example.org/a.en", "target": "https://example.org/a.ru"},
        "sha256": {"source": sums["a.en"], "target": sums["a.ru"]},
    }
    one = {"type": "download", "url": "https://example.org/b.tsv", "sha256": sums["b.tsv"]}
    assert [texts(source) for source in opened(places, two, one)] == [[("yes", "да")]] * 2


def test_test_sets_are_cleaned_only_on_demand(places):
    for name in ("a.en", "a.ru"):
        (places.data / name).write_text("x\n")
    local = {"type": "local", "path": "a"}
    rules = [
        source.cleaning and source.cleaning.max_words
        for source in opened(
            places,
            local,
            {**local, "split": "train"},
            {**local, "split": "test"},
            {**local, "split": "test", "cleaning": {"max_words": 7}},
            {**local, "split": "dev", "cleaning": True},
            {**local, "cleaning": False},
            cleaning={"max_words": 50},
        )
    ]
    assert rules == [50, 50, None, 7, 50, None]


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"type": "loca", "path": "a"}, "no type 'loca'; it is one of embedded, local, download"),
        ({"type": "local", "path": "a", "split": "valid"}, "no split 'valid'; it is one of train, dev, test"),
        ({"type": "local"}, "a source of type local needs 'path'"),
        ({"type": "download"}, "a source of type download needs 'url'"),
        ({"type": "local", "path": "a"}, r"a\.en: no such file"),
        ({"type": "download", "url": "x.en"}, "only http and https"),
    ],
)
def test_mistakes(places, description, message):
    with pytest.raises(InputError, match=message):
        opened(places, description)


def test_folders_that_are_not_there(places, tmp_path):
    local = {"source": "en", "target": "ru", "sources": [{"type": "local", "path": "a"}]}
    with pytest.raises(InputError, match="local source 'a': no data folder is given; name it in the config"):
        open_sources(local, Places())
    with pytest.raises(InputError, match="no such data folder"):
        open_sources(local, Places(data=tmp_path / "none"))


def test_one_file_for_two_languages(places):
    (places.downloads / "a.en").write_text("yes\n")
    sha256 = hashlib.sha256(b"yes\n").hexdigest()
    with pytest.raises(InputError, match="one file of en text, but a translation into ru is needed"):
        opened(places, {"type": "download", "url": "https://example.org/a.en", "sha256": sha256})


def test_files_that_a_workflow_must_watch(places):
    for name in ("n1.en", "n1.ru", "t.tsv"):
        (places.data / name).write_text("x\n")
    sources = [
        {"type": "embedded", "domain": "news"},
        *({"type": "local", "path": path} for path in ("n?", "t.tsv")),
    ]
    corpus = {"source": "en", "target": "ru", "sources": sources}
    assert [path.name for path in local_files(corpus, str(places.data))] == ["n1.en", "n1.ru", "t.tsv"]
    assert local_files({**corpus, "sources": sources[:1]}, None) == []
    with pytest.raises(InputError, match="no data folder is given"):
        local_files(corpus, None)
