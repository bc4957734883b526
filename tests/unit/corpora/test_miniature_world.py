"""The world's files: complete, aligned line by line, the same every time, with a summary that keeps its promises."""

from collections import Counter

import pytest
from conllu import parse_incr

from miniature_world.generate import generate
from miniature_world.summary import Summary, zipf_exponent
from miniature_world.world import write_world


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    table = write_world(folder, {"news": 60, "subtitles": 90}, 4, ["karvan", "lorine"])
    return folder, table


def test_the_files_of_the_contract_are_written_line_by_line(written):
    folder, _ = written
    endings = ("conllu", "karvan.align", "karvan.txt", "lorine.align", "lorine.txt")
    made = {f"{domain}.{ending}" for domain in ("news", "subtitles") for ending in endings}
    assert {path.name for path in folder.iterdir()} == made | {"summary.csv"}
    with (folder / "news.conllu").open() as file:
        blocks = list(parse_incr(file))
    lines = (folder / "news.karvan.txt").read_text().splitlines()
    links = (folder / "news.karvan.align").read_text().splitlines()
    assert len(blocks) == len(lines) == len(links) == 60
    for block, line, link in zip(blocks, lines, links, strict=True):
        for pair in link.split():
            source, target = map(int, pair.split("-"))
            assert source < len(block)
            assert target < len(line.split(" "))


def test_the_same_seed_writes_the_same_bytes_and_more_sentences_only_add(written, tmp_path):
    folder, _ = written
    write_world(tmp_path, {"news": 80}, 4, ["karvan"])
    for name in ("news.conllu", "news.karvan.txt", "news.karvan.align"):
        assert (tmp_path / name).read_bytes().startswith((folder / name).read_bytes())


def test_nothing_half_written_stays_after_a_failure(tmp_path, monkeypatch):
    def failing(*_):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("miniature_world.world.to_conllu", failing)
    with pytest.raises(RuntimeError, match="disk"):
        write_world(tmp_path, {"news": 5}, 4, ["karvan"])
    assert list(tmp_path.iterdir()) == []


def test_zipfs_exponent_of_an_exact_power_law():
    counts = Counter({str(rank): round(1e9 / rank**1.1) for rank in range(1, 1500)})
    assert zipf_exponent(counts) == pytest.approx(1.1, abs=1e-3)


def test_the_summary_counts_what_it_says(written):
    _, table = written
    news = list(generate("news", 60, 4))
    value = {(row.domain, row.side, row.figure): row.value for row in table.itertuples()}
    assert value["news", "en", "sentences"] == 60
    assert value["news", "en", "tokens"] == sum(len(sentence.words) for sentence in news)
    assert value["news", "en", "vocabulary"] == len({token for sentence in news for token in sentence.tokens})
    offsets = Counter(w.index - w.head.index for s in news for w in s.words if w.relation == "obj")
    share = max(offsets.values()) / offsets.total()
    assert value["news", "en", "obj, positional baseline"] == pytest.approx(share, abs=1e-6)
    passive = sum(any(word.relation == "nsubj:pass" for word in sentence.words) for sentence in news)
    assert value["news", "en", "sentences with a passive, share"] == pytest.approx(passive / 60, abs=1e-6)
    assert {"karvan", "lorine"} < set(table["side"])


@pytest.mark.parametrize("domain", ["news", "subtitles"])
def test_the_world_is_zipfian_and_position_does_not_give_relations_away(domain):
    summary = Summary(domain, [])
    for sentence in generate(domain, 1200, seed=8):
        summary.add(sentence)
    value = summary.table().set_index("figure")["value"]
    assert 0.7 < next(value[name] for name in value.index if name.startswith("zipf")) < 1.5
    assert value["nsubj, positional baseline"] < 0.48
    assert value["obj, positional baseline"] < 0.55
    assert value["amod, positional baseline"] < 0.85
    assert value["advmod, positional baseline"] < 0.55
    assert value["words with two senses, share"] > 0.02
