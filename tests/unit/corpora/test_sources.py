"""Descriptions of sources become streams of pairs; mistakes in them are named before anything is read."""

import gzip
from dataclasses import replace

import pytest

from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.streams import distilled_files, fetched_files, local_files, open_sources
from headwork.errors import InputError
from headwork.settings.corpora import ParallelText


@pytest.fixture
def places(tmp_path):
    for name in ("data", "world"):
        (tmp_path / name).mkdir()
    urls = {
        "films": "https://example.org/Films/en-ru.txt.zip",
        "links": "https://example.org/Films/en-ru.xml.gz",
        "english": "https://example.org/a.en?version=2",
        "russian": "https://example.org/a.ru",
        "table": "https://example.org/b.tsv",
    }
    return Places(tmp_path / "data", tmp_path / "world", fetched=Fetched(urls, tmp_path / "corpora"))


def put(places, text, *reference):
    """What a download, or a member of it, holds when it has been fetched."""
    path = places.fetched.file(*reference)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def corpus_of(*sources, target="ru", **more):
    given = {"source": "en", "target": target, "tokenisation": "none", "sources": list(sources), **more}
    return ParallelText.read(given, "corpus")


def opened(places, *sources, **corpus):
    return open_sources(corpus_of(*sources, **corpus), places)


def texts(source):
    return [(pair.source, pair.target) for pair in source.pairs()]


def test_embedded_takes_words_from_the_trees(places):
    trees = "".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in ((1, "Hello"), (2, "!")))
    (places.world / "news.conllu").write_text(trees + "\n")
    (places.world / "news.karvan.txt").write_text("salu !\n")
    source = opened(places, {"type": "embedded", "domain": "news"}, target="karvan")[0]
    assert (source.name, source.tokenised, texts(source)) == ("world news", True, [("Hello !", "salu !")])
    with pytest.raises(InputError, match=r"subtitles\.conllu: the miniature world lacks this file"):
        opened(places, {"type": "embedded", "domain": "subtitles"}, target="karvan")


def test_local_pattern_and_several_paths(places):
    for name in ("n1", "n2", "other"):
        (places.data / f"{name}.en").write_text(f"{name}\n")
        (places.data / f"{name}.ru").write_text("да\n")
    source = opened(places, {"type": "local", "path": ["other", "n?"]})[0]
    assert [text for text, _ in texts(source)] == ["other", "n1", "n2"]
    assert source.name == "other, n?"


def test_local_table_and_devset(places):
    (places.data / "t.tsv").write_text("1\tyes\tда\n")
    segments = '<doc><src lang="en"><seg id="1">a</seg></src><ref lang="ru"><seg id="1">а</seg></ref></doc>'
    (places.data / "s.xml").write_text(segments)
    table = {"type": "local", "path": "t.tsv", "columns": {"source": 2, "target": 3}}
    found = opened(places, table, {"type": "local", "path": "s.xml"})
    assert list(map(texts, found)) == [[("yes", "да")], [("a", "а")]]


ENDS = {"source": "Films.en-ru.en", "target": "Films.en-ru.ru"}
FILMS = {"type": "download", "download": "films", "member": ENDS}


def put_films(places, english, russian):
    sides = zip(ENDS.values(), (english, russian), strict=True)
    return [put(places, text, "films", member) for member, text in sides]


def test_download_of_a_zip_with_moses_files(places):
    files = put_films(places, "yes\nno\n", "да\nнет\n")
    source = opened(places, FILMS)[0]
    assert (source.name, texts(source)) == ("Films.en-ru.en", [("yes", "да"), ("no", "нет")])
    assert fetched_files(corpus_of(FILMS), places.fetched) == files


def test_download_of_two_files_and_of_one_table(places):
    for name, text in (("english", "yes\n"), ("russian", "да\n"), ("table", "yes\tда\n")):
        put(places, text, name)
    two = {"type": "download", "download": {"source": "english", "target": "russian"}}
    one = {"type": "download", "download": "table"}
    assert [texts(source) for source in opened(places, two, one)] == [[("yes", "да")]] * 2
    assert places.fetched.file("english").name == "a.en"  # without the query


@pytest.fixture
def overlap(places):
    """Three pairs of two films, two of which overlap enough, and the setting that asks for it."""
    put_films(places, "yes\nno\nwhy ?\n", "да\nнет\nпочему ?\n")
    put(places, "e\tr\t1\t1\ne\tr\t2 3\t2\nf\ts\t1\t1\n", "films", "Films.en-ru.ids")
    links = {"e|r": (("1", "1", 0.95), ("9", "", 0.0), ("2 3", "2", 0.5)), "f|s": (("1", "1", 0.9),)}
    groups = ""
    for ours, theirs in (documents.split("|") for documents in links):
        groups += f'<linkGrp fromDoc="{ours}" toDoc="{theirs}">'
        for a, b, share in links[f"{ours}|{theirs}"]:
            groups += f'<link id="SL" xtargets="{a};{b}" overlap="{share}"/>'
        groups += "</linkGrp>"
    put(places, f"<?xml version='1.0'?><cesAlign>{groups}</cesAlign>", "links")
    ids = {"download": "films", "member": "Films.en-ru.ids"}
    return {"ids": ids, "links": {"download": "links"}, "at_least": 0.9}


def test_only_subtitles_at_the_same_time(places, overlap):
    source = opened(places, FILMS | {"overlap": overlap})[0]
    assert texts(source) == [("yes", "да"), ("why ?", "почему ?")]
    watched = fetched_files(corpus_of(FILMS | {"overlap": overlap}), places.fetched)
    assert [path.name for path in watched][2:] == ["Films.en-ru.ids", "en-ru.xml.gz"]
    half = opened(places, FILMS | {"overlap": overlap | {"at_least": 0.5}})[0]
    assert len(texts(half)) == 3


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("ids", "e\tr\t1\t1\n", r"\.ids:2: the file does not have one line for each pair"),
        (
            "ids",
            "e\tr\t1\t1\ne\tr\t3\t2\nf\ts\t1\t1\n",
            r"\.ids:2: no link of e and r, 3;2, in .*en-ru\.xml\.gz",
        ),
        ("links", "<cesAlign><linkGrp>", r"en-ru\.xml\.gz: the file is not an OPUS alignment, or is damaged"),
    ],
)
def test_links_that_do_not_fit(places, overlap, file, text, message):
    put(places, text, *(("films", "Films.en-ru.ids") if file == "ids" else ("links",)))
    with pytest.raises(InputError, match=message):
        texts(opened(places, FILMS | {"overlap": overlap})[0])


def test_test_sets_are_cleaned_only_on_demand(places):
    for name in ("a.en", "a.ru"):
        (places.data / name).write_text("x\n")
    more = [{}, {"split": "train"}, {"split": "test"}, {"split": "test", "cleaning": {"max_words": 7}}]
    more += [{"split": "dev", "cleaning": True}, {"cleaning": False}]
    sources = [{"type": "local", "path": "a"} | each for each in more]
    found = opened(places, *sources, cleaning={"max_words": 50})
    rules = [source.cleaning and source.cleaning.max_words for source in found]
    assert rules == [50, 50, None, 7, 50, None]


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"type": "distilled", "text": "a", "split": "dev"}, "the distilled folder is not given"),
        ({"type": "local"}, r"`sources\.0`: the type local needs 'path'"),
        ({"type": "download"}, r"`sources\.0`: the type download needs 'download'"),
        ({"type": "local", "path": "a", "cleaning": {"max_word": 3}}, "'max_word'; did you mean 'max_words'"),
        ({"type": "local", "path": "a"}, r"a\.en: the file does not exist"),
        ({"type": "download", "download": "film"}, "no download 'film'; did you mean 'films'"),
        ({"type": "download", "download": "films", "member": "../a"}, "the member '../a' leads out"),
    ],
)
def test_mistakes(places, description, message):
    with pytest.raises(InputError, match=message):
        opened(places, description)


def test_folders_that_are_not_there(places, tmp_path):
    local = corpus_of({"type": "local", "path": "a"})
    with pytest.raises(InputError, match="local source 'a': the data folder is not given"):
        open_sources(local, Places())
    with pytest.raises(InputError, match="the data folder does not exist"):
        open_sources(local, Places(data=tmp_path / "none"))


def test_a_split_of_distilled_text(places):
    for side, text in (("source", "one\ntwo\n"), ("target", "um\ndois\n")):
        (places.data / "en-pt").mkdir(exist_ok=True)
        (places.data / f"en-pt/dev.{side}.txt").write_text(text)
    with_distilled = replace(places, distilled=places.data)
    description = {"type": "distilled", "text": "en-pt", "split": "dev"}
    (source,) = opened(with_distilled, description, target="pt")
    assert (source.name, source.split, source.cleaning) == ("distilled en-pt dev", "dev", None)
    assert texts(source) == [("one", "um"), ("two", "dois")]
    files = distilled_files(corpus_of(description, {"type": "local", "path": "a"}), places.data)
    assert files == [places.data / "en-pt/dev.source.txt", places.data / "en-pt/dev.target.txt"]
    with pytest.raises(InputError, match="the type distilled needs 'split'"):
        opened(with_distilled, {"type": "distilled", "text": "en-pt"})


def test_one_file_for_two_languages(places):
    put(places, "yes\n", "english")
    with pytest.raises(InputError, match="one file of en text, but a translation into ru is needed"):
        opened(places, {"type": "download", "download": "english"})


def test_files_that_a_workflow_must_watch(places):
    for name in ("n1.en", "n1.ru", "t.tsv"):
        (places.data / name).write_text("x\n")
    embedded = {"type": "embedded", "domain": "news"}
    corpus = corpus_of(embedded, *({"type": "local", "path": path} for path in ("n?", "t.tsv")))
    assert [path.name for path in local_files(corpus, str(places.data))] == ["n1.en", "n1.ru", "t.tsv"]
    assert local_files(corpus_of(embedded), None) == []
    with pytest.raises(InputError, match="the data folder is not given"):
        local_files(corpus, None)
