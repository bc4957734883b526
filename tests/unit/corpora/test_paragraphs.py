"""Paragraphs: read from text and CoNLL-U, and split so that none stands in two splits."""

import gzip
import random

import pytest

from headwork.corpora.running_text import paragraphs as texts
from headwork.corpora.running_text.paragraphs import paragraphs
from headwork.corpora.sources.locations import Places
from headwork.errors import InputError
from headwork.settings.corpora import Text

PLACES = {"dev": 0.1, "test": 0.2}


def conllu(*texts):
    """Paragraphs of sentences as CoNLL-U: newdoc for the first, newpar for the others."""
    rows = []
    for number, sentences in enumerate(texts):
        for place, sentence in enumerate(sentences):
            rows += [["# newdoc id = a", "# newpar"][number > 0]] * (place == 0) + [f"# text = {sentence}"]
            rows += [f"{i}\t{word}" + "\t_" * 8 for i, word in enumerate(sentence.split(), 1)] + [""]
    return "\n".join(rows) + "\n"


def test_text(tmp_path):
    (tmp_path / "a.txt").write_text("\na b\nc d\n \n\ne f\n")
    assert list(paragraphs(tmp_path / "a.txt")) == [(2, ["a b", "c d"]), (6, ["e f"])]


def test_one_paragraph_a_line(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b' \nHe went . " She did. (It was 3.5 m.) Mr. X?\n\nNo end\n'))
    assert list(paragraphs(path, one_a_line=True)) == [
        (2, ["He went .", '" She did.', "(It was 3.5 m.)", "Mr.", "X?"]),
        (4, ["No end"]),
    ]


def test_conllu(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(conllu(["a b", "c"], ["d"], ["e", "f g", "h"]))
    assert [found.sentences for found in paragraphs(path)] == [["a b", "c"], ["d"], ["e", "f g", "h"]]


def test_a_treebank_without_paragraphs(tmp_path):
    (tmp_path / "a.conllu").write_text("1\ta" + "\t_" * 8 + "\n\n")
    with pytest.raises(InputError, match=r"a\.conllu: the file has neither `# newpar` nor `# newdoc`"):
        list(paragraphs(tmp_path / "a.conllu"))


@pytest.fixture
def data(tmp_path):
    """A data folder with 300 paragraphs, 20 of them twice (once in other case), in two files."""
    chance = random.Random(0)
    texts = [
        [" ".join(chance.choices("abcdefgh", k=5)) for _ in range(chance.randint(2, 4))] for _ in range(300)
    ]
    texts += [[sentence.upper() for sentence in text] for text in texts[:20]]
    for name, part in ("one", texts[:150]), ("two", texts[150:]):
        (tmp_path / f"{name}.txt").write_text("\n\n".join(map("\n".join, part)) + "\n")
    return tmp_path


SPLITS = ("train", "dev", "test")


def read(folder, split):
    return [tuple(found.sentences) for found in paragraphs(folder / f"{split}.txt")]


def folded(folder, split):
    """The paragraphs of a split, whatever their case."""
    return [" ".join(text).casefold() for text in read(folder, split)]


def corpus(*paths, **more):
    sources = [{"type": "local", "path": path} for path in paths]
    return {"source": "en", "sources": sources, "splits": PLACES, "subwords": {}, **more}


def prepare(described, output, places):
    return texts.prepare(Text.read(described, "text"), output, places)


def test_no_paragraph_stands_in_two_splits(data, tmp_path):
    table = prepare(corpus("one.txt", "two.txt"), tmp_path / "out", Places(data=data))
    found = {split: folded(tmp_path / "out", split) for split in SPLITS}
    every = [text for texts in found.values() for text in texts]
    assert len(every) == len(set(every)) == 300
    assert 15 < len(found["dev"]) < 50
    assert 40 < len(found["test"]) < 85
    counts = table.groupby("split")["paragraphs"].sum().to_dict()
    assert counts == {split: len(texts) for split, texts in found.items()}
    assert table["words"].sum() == 5 * table["sentences"].sum()


def test_the_split_depends_on_the_paragraph_alone(data, tmp_path):
    for name, paths in ("ab", ("one.txt", "two.txt")), ("ba", ("two.txt", "one.txt")):
        prepare(corpus(*paths), tmp_path / name, Places(data=data))
    for split in SPLITS:
        assert set(folded(tmp_path / "ab", split)) == set(folded(tmp_path / "ba", split))


def test_a_held_out_file_is_not_trained_on(data, tmp_path):
    (data / "held.txt").write_text((data / "one.txt").read_text())
    described = corpus("held.txt", "one.txt", "two.txt", splits={"dev": 0.1})
    described["sources"][0]["split"] = "test"
    prepare(described, tmp_path / "out", Places(data=data))
    assert len(read(tmp_path / "out", "test")) == 150
    assert not set(folded(tmp_path / "out", "test")) & set(folded(tmp_path / "out", "train"))


def test_limit_and_shortest(data, tmp_path):
    prepare(corpus("one.txt", limit=40), tmp_path / "out", Places(data=data))
    assert len(read(tmp_path / "out", "train")) == 40
    few = corpus("one.txt")
    few["sources"][0]["words"] = 20
    prepare(few, tmp_path / "out", Places(data=data))
    assert {len(text) for split in SPLITS for text in read(tmp_path / "out", split)} == {4}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": [{"type": "download"}]}, r"`sources\.0`: the type download needs 'download'"),
        ({"sources": [{"type": "local", "path": "three.txt"}]}, "the file does not exist"),
        ({"splits": {"dev": 0.0, "test": 0.99999999}}, "no paragraph is left for train"),
    ],
)
def test_errors_leave_what_was_there(data, tmp_path, change, message):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "train.txt").write_text("before\n")
    with pytest.raises(InputError, match=message):
        prepare(corpus("one.txt", **change), tmp_path / "out", Places(data=data))
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["before\n"]


def test_real_wikipedia(real_data, tmp_path):
    if not (real_data / "wikipedia").is_dir():
        pytest.skip(f"{real_data} has no wikipedia")
    described = corpus(["wikipedia/xquad_en_paragraphs.txt", "wikipedia/wikitext2_valid.txt"])
    described["sources"][0] |= {"lines": "paragraphs", "words": 20}
    table = prepare(described, tmp_path / "out", Places(data=real_data))
    paragraphs, sentences, words = table[["paragraphs", "sentences", "words"]].sum()
    assert paragraphs > 1500
    assert 2 < sentences / paragraphs < 8
    assert 15 < words / sentences < 40


def test_the_training_sentences_of_a_task_are_text(data, tmp_path):
    folder = tmp_path / "tasks" / "RTE"
    folder.mkdir(parents=True)
    rows = ["index\tsentence1\tsentence2\tlabel", "0\towls eat .\tthey eat .\tentailment"]
    (folder / "train.tsv").write_text("\n".join([*rows, '1\towls "see .\tthey eat .\tnot_entailment']) + "\n")
    described = corpus("one.txt")
    described["sources"].append({"type": "task", "task": "RTE", "split": "train"})
    output = tmp_path / "out"
    table = prepare(described, output, Places(data=data, tasks=tmp_path / "tasks"))
    assert {("owls eat .", "they eat ."), ('owls "see .', "they eat .")} < set(read(output, "train"))
    (row,) = table[table["source"] == "RTE"].to_dict("records")
    assert (row["split"], row["paragraphs"], row["sentences"]) == ("train", 2, 4)
    assert "entailment" not in (output / "train.txt").read_text()

    described["sources"][-1] |= {"path": "glue/RTE"}
    (data / "glue").mkdir()
    folder.rename(data / "glue" / "RTE")
    again = prepare(described, tmp_path / "again", Places(data=data))
    assert again.equals(table)


def test_a_text_that_nothing_is_trained_on_is_measured_whole(tmp_path):
    (tmp_path / "my.txt").write_text("".join(f"sentence number {number} is here .\n" for number in range(50)))
    text = {"source": "en", "sources": [{"type": "local", "path": "my.txt", "lines": "paragraphs"}]}
    table = texts.prepare(Text.read(text, "text"), tmp_path / "out", Places(tmp_path))
    assert table[["split", "sentences"]].to_numpy().tolist() == [["test", 50]]
    assert (tmp_path / "out/train.txt").read_text() == (tmp_path / "out/dev.txt").read_text() == ""
    with pytest.raises(
        InputError, match=r"without `subwords` nothing is trained on it, .* leave out `splits`"
    ):
        Text.read(text | {"splits": {"dev": 0.1}}, "text")
    text["sources"][0] |= {"lines": "sentences"}
    whole = texts.prepare(Text.read(text, "text"), tmp_path / "one", Places(tmp_path))
    assert whole["paragraphs"].tolist() == [1]
    trained = Text.read(text | {"subwords": {"vocabulary": 100}}, "text")
    with pytest.raises(InputError, match=r"no paragraph is left for \w+ \(of 1\); .* `lines: paragraphs`"):
        texts.prepare(trained, tmp_path / "two", Places(tmp_path))
