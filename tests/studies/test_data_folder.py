"""What a data folder lacks: files by corpus, and the items that need none of them."""

import gzip

import pytest

from headwork.settings.studies import Item, Study
from headwork.studies.data_folder import TAGS, corpora_of, missing, still_made

SOURCE = {"type": "local", "path": "pairs/news"}
ENGLISH = {"source": "en", "target": "de", "tokenisation": "none", "subwords": {}}
CONFIG = {
    "corpora": {
        "news": ENGLISH | {"sources": [SOURCE], "parser": "bank"},
        "world": ENGLISH | {"sources": [{"type": "embedded", "domain": "news"}], "parser": "gold"},
    },
    "texts": {"wiki": {"source": "en", "sources": [{"type": "local", "path": "wiki.txt"}], "subwords": {}}},
    "tasks": {"rte": {"task": "RTE", "path": "glue/RTE"}, "generated": {"task": "RTE"}},
    "parsers": {"bank": {"treebank": {"type": "local", "train": "train.conllu", "dev": "dev.conllu"}}},
    "representations": {
        "tags": {"tasks": {"chunks": {"train": "chunks.txt", "test": "chunks.txt"}, "none": None}}
    },
    "studies": {"study": {"runs": {"news": {"EN": "base", "DE": "tuned"}, "world": {"EN": "other"}}}},
}
SHEET = [
    {"run": "base", "corpus": "news", "init_run": None, "gates": "none"},
    {"run": "tuned", "corpus": "world", "init_run": "base", "gates": "none"},
    {"run": "masked", "corpus": "world", "init_run": None, "gates": "mask:tuned"},
    {"run": "other", "corpus": "world", "init_run": None, "gates": "none"},
]


def item(key, domain, pair, *tables):
    return Item(
        study="study",
        key=key,
        title=key,
        section="1",
        shows="a table",
        roles=((domain, pair),),
        tables=tables,
    )


STUDY = Study(
    key="study",
    cited="A 2019",
    title="Title",
    authors="A",
    venue="Venue",
    items=(
        item("base", "news", "EN"),
        item("tuned", "news", "DE"),
        item("other", "world", "EN"),
        item("tagged", "world", "EN", "tags"),
        item("absent", "world", "FR"),
    ),
    claims=(),
)


def test_every_missing_file_is_named_once(tmp_path):
    (tmp_path / "pairs").mkdir()
    for side in ("en", "de"):
        (tmp_path / "pairs" / f"news.{side}").write_text("a\n")
    (tmp_path / "wiki.txt.gz").write_bytes(gzip.compress(b"a"))
    (tmp_path / "train.conllu").write_text("")
    found = missing(CONFIG, tmp_path)
    assert {name: len(sentences) for name, sentences in found.items()} == {"news": 1, "rte": 2, TAGS: 2}
    assert "dev.conllu" in found["news"][0]
    assert "glue/RTE/train.tsv" in found["rte"][0]


def test_without_a_data_folder_only_what_is_generated_is_there():
    assert set(missing(CONFIG, None)) == {"news", "wiki", "rte", TAGS}


def test_a_run_needs_the_corpora_of_the_runs_it_starts_from():
    rows = {row["run"]: row for row in SHEET}
    assert corpora_of("masked", rows) == {"news", "world"}
    assert corpora_of("other", rows) == {"world"}


@pytest.mark.parametrize(
    ("lacking", "not_made"),
    [
        ((), []),
        (("news",), ["base", "tuned"]),
        ((TAGS,), ["tagged"]),
        (("world",), ["tuned", "other", "tagged"]),
    ],
)
def test_items_that_need_a_missing_corpus(lacking, not_made):
    made, others = still_made([STUDY], CONFIG, SHEET, dict.fromkeys(lacking))
    assert others == [f"study_{key}" for key in not_made]
    assert len(made) == 4 - len(others)
