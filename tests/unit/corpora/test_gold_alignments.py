"""Readers of gold alignments: both layouts, the world's own, real ones, and what is said of bad files."""

import pytest

from headwork.corpora.annotated.alignments import aligned_pairs, both_sides, known_pairs
from headwork.corpora.sources.readers import conllu
from headwork.errors import InputError
from miniature_world.world import write_world

TEXT = [("a b c", "x y"), ("d", "z"), ("e f", "v w")]


def write(folder, text):
    path = folder / "gold"
    path.write_text(text)
    return path


def test_pharaoh(tmp_path):
    found = aligned_pairs(TEXT, write(tmp_path, "0-0 2p1 1?1\n\n1-0\n"))
    assert [pair.links.sure for pair in found] == [{(0, 0)}, set(), {(1, 0)}]
    assert [pair.links.possible for pair in found] == [{(0, 0), (2, 1), (1, 1)}, set(), {(1, 0)}]
    assert found[0].source == ["a", "b", "c"]
    assert aligned_pairs(TEXT, write(tmp_path, "1-1 3p2 2?2\n\n2-1\n"), first=1) == found


def test_naacl(tmp_path):
    gold = "0001 1 1 S\n0001 3 2 P\n0001 2 2 P 0.5\n0002 0 1 S\n0003 2 1\n"
    found = aligned_pairs(TEXT, write(tmp_path, gold), "naacl")
    assert found == aligned_pairs(TEXT, write(tmp_path, "0-0 2p1 1?1\n\n1-0\n"))


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("0-0\n0:0\n0-0\n", {}, r"gold:2: '0:0' is not a link; write 0-1"),
        ("0-0\n0-0\n", {}, r"gold:3: fewer lines than the 3 pairs"),
        ("\n\n\n\n", {}, r"gold:4: more lines than the 3 pairs"),
        ("0-0\n1-0\n0-0\n", {}, r"gold:2: a link beyond its sentences of 1 and 1 words"),
        ("0-1\n\n\n", {"first": 1}, "gold:1: a link beyond"),
        ("1 1 1 S\n1 1 x S\n", {"layout": "naacl"}, r"gold:2: '1 1 x S' is not a link"),
        ("1 1 1 Q\n", {"layout": "naacl"}, r"gold:1: '1 1 1 Q' is not a link"),
        ("4 1 1 S\n", {"layout": "naacl"}, r"gold:1: sentence 4, of 3 pairs"),
        ("1 1 1\n1 4 1\n", {"layout": "naacl"}, r"gold:2: a link beyond its sentences of 3 and 2 words"),
    ],
)
def test_bad_files_are_refused_with_file_and_line(tmp_path, text, settings, message):
    with pytest.raises(InputError, match=message):
        aligned_pairs(TEXT, write(tmp_path, text), **settings)


def test_both_sides_of_a_line(tmp_path):
    path = write(tmp_path, "a b ||| x\nc  |||  y z \n")
    found = [[side.split() for side in pair] for pair in both_sides(path)]
    assert found == [[["a", "b"], ["x"]], [["c"], ["y", "z"]]]
    with pytest.raises(InputError, match=r"gold:2: a line is a sentence, \|\|\| and its translation"):
        list(both_sides(write(tmp_path, "a ||| b\nc d\n")))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Trees, translations and links of the world."""
    folder = tmp_path_factory.mktemp("world")
    write_world(folder, {"news": 60}, 3, ["karvan"])
    return folder / "news.conllu", folder / "news.karvan.txt", folder / "news.karvan.align"


def test_the_worlds_own_alignments_are_found_for_a_corpus_made_of_it(files, tmp_path):
    sources = [segment.text for segment in conllu(files[0])]
    targets = files[1].read_text().splitlines()
    links = files[2].read_text().splitlines()
    chosen = [41, 7, 12]
    (tmp_path / "source").write_text("".join(sources[n].lower() + "\n" for n in chosen))
    (tmp_path / "target").write_text("".join(targets[n] + "\n" for n in chosen))
    found = list(known_pairs(tmp_path / "source", tmp_path / "target", [files]))
    for pair, number in zip(found, chosen, strict=True):
        assert pair.source == sources[number].lower().split()
        assert " ".join(f"{i}-{j}" for i, j in sorted(pair.links.sure)) == links[number]
        assert pair.links.sure == pair.links.possible
        # every target word of the world stands for a source word
        assert {j for _, j in pair.links.sure} == set(range(len(pair.target)))


def test_a_line_that_no_file_annotates_is_named(files, tmp_path):
    (tmp_path / "source").write_text("never said\n")
    (tmp_path / "target").write_text("nie\n")
    with pytest.raises(InputError, match=r"source:1: no gold alignment has this line .*news\.karvan\.align"):
        list(known_pairs(tmp_path / "source", tmp_path / "target", [files]))


def test_hansards(real_data):
    """447 pairs of the shared task of 2003, with 4,038 sure and 13,400 possible links."""
    folder = real_data / "alignment"
    if not folder.is_dir():
        pytest.skip("no gold alignments among the real corpora")
    pairs = aligned_pairs(both_sides(folder / "enfr.src-tgt"), folder / "enfr.gold", first=1)
    assert len(pairs) == 447
    assert sum(len(pair.links.sure) for pair in pairs) == 4038
    assert sum(len(pair.links.possible) for pair in pairs) == 17438
