"""Sentences to be translated: split, compared, parted by document, and none of a test set."""

import gzip
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from headwork.corpora.parallel.splits import SPLITS, hash_of
from headwork.corpora.running_text.sentences import split_sentences
from headwork.corpora.selection.select import files_of, select
from headwork.corpora.selection.test_sets import key, keys, sentences
from headwork.errors import InputError
from headwork.run.frame import Files


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One came. Two went!  Was it 3? 4 were.", ["One came.", "Two went!", "Was it 3?", "4 were."]),
        ("Mr. Fox met Prof. J. R. Hare. They ran.", ["Mr. Fox met Prof. J. R. Hare.", "They ran."]),
        ("See No. 5 there. No. We did.", ["See No. 5 there.", "No.", "We did."]),
        ("The U.S. Army came. It left.", ["The U.S. Army came.", "It left."]),
        ('"Go on." "Why?" He went.', ['"Go on."', '"Why?"', "He went."]),
        ("It is e.g. this. a Version 2. The end.", ["It is e.g. this. a Version 2.", "The end."]),
        ("", []),
    ],
)
def test_sentences_of_a_paragraph(paragraph, expected) -> None:
    assert split_sentences(paragraph) == expected


def test_sentences_are_compared_by_letters_and_digits() -> None:
    assert key("It's 5 o'clock — NOW!") == key("it s 5 o ' clock now") == "its5oclocknow"
    assert key("Ação_é") == "açãoé"


def conllu(text: str, *words: str) -> str:
    """A sentence whose first two words are written as one."""
    rows = ["1-2\tCannot", *(f"{number}\t{word}" for number, word in enumerate(words, 1))]
    return "\n".join([f"# text = {text}", *(row + "\t_" * 8 for row in rows), "", ""])


FILES = {
    "plain.en": ("A first line here. And its second part.\n\n", "And its second part"),
    "table.tsv": ("7\tA cell of one.\tanother cell\tlabel\n", "another cell"),
    "gold.src-tgt": ("the house ||| la maison\n", "The house."),
    "trees.conllu": (conllu("Cannot go", "Can", "not", "go"), "Cannot go"),
    "trees.mrg": (
        "( (S (NP (NNP Mr.) (NNP Fox)) (VP (VBZ is) (NP (-NONE- *T*-1))) (. .)) )\n",
        "Mr. Fox is.",
    ),
    "words.dp": ("Pierre\tNNP\t2\nwent\tVBD\t0\n\nHome\tNN\t0\n", "Pierre went"),
    "semcor.tsv": ("# doc 1\nFulton_County\tNNP\tx\t_\t_\nsaid\tVBD\tsay\t_\t_\n\n", "Fulton County said"),
    "conll2003/eng.testb": ("SOCCER NN I-NP O\n- : O O\nJAPAN NNP I-NP I-LOC\n\n", "Soccer - Japan"),
    "all.data.xml": ("<t><sentence><wf>The</wf>\n<instance>art</instance></sentence></t>\n", "The art"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("compressed", [False, True])
def test_the_sentences_of_a_test_set_are_found_in_its_format(tmp_path, name, compressed) -> None:
    content, expected = FILES[name]
    path = tmp_path / (f"{name}.gz" if compressed else name)
    path.parent.mkdir(exist_ok=True)
    (gzip.open if compressed else open)(path, "wb").write(content.encode())
    found = set(map(key, sentences(path)))
    assert key(expected) in found
    assert hash_of(key(expected)) in keys([path])
    assert hash_of("") not in keys([path])


def words(number: int) -> str:
    """A sentence that no other number has, with its number first."""
    return f"{number} is the number of this sentence."


def written(folder: Path, selection: dict) -> tuple[dict[str, list[str]], pd.DataFrame]:
    """Sentences by split, and the table."""
    outputs = {split: folder / f"out/{split}.txt" for split in SPLITS} | {"table": folder / "out/table.csv"}
    select(Files(), Files(**outputs), selection, folder)
    return {split: outputs[split].read_text().splitlines() for split in SPLITS}, pd.read_csv(outputs["table"])


@pytest.fixture
def data(tmp_path) -> Path:
    """A book of 200 paragraphs of two sentences each, a list of 50 lines, and a test set."""
    book = [f"{words(2 * number)} {words(2 * number + 1)}" for number in range(200)]
    (tmp_path / "book.txt").write_text("\n".join(book) + "\n")
    own = [words(1000 + number) for number in range(47)]
    more = [words(8).upper(), words(8), words(9) + " x" * 60]
    (tmp_path / "list.en").write_text("\n".join([*own, *more]) + "\n")
    (tmp_path / "tested.en").write_text("20 is the NUMBER, of this sentence\nToo.\n")
    return tmp_path


BOOK = {"path": "book.txt", "document": 10, "dev": 6, "test": 9, "from_each": 5}
LIST = {"path": "list", "lines": "sentences", "dev": 2, "test": 3}
SELECTION = {"sources": [BOOK, LIST], "test_sets": ["tested.en"], "seed": 3}


def test_every_sentence_once_and_none_of_a_test_set(data) -> None:
    found, table = written(data, SELECTION)
    everything = [key(sentence) for split in SPLITS for sentence in found[split]]
    assert len(everything) == len(set(everything))
    assert key(words(20)) not in everything
    assert (len(found["dev"]), len(found["test"])) == (8, 12)
    counts = table.set_index("source")
    assert counts.loc["book.txt", "of a test set"] == 1
    assert counts.loc["list", ["duplicate", "too long"]].tolist() == [2, 1]
    lines = {"book.txt": 400, "list": 50}
    assert counts.sum(axis=1).to_dict() == lines, "every sentence is in a split, or left out for a reason"
    assert [path.name for path in files_of(SELECTION, data)] == ["book.txt", "list.en", "tested.en"]


def test_what_a_teacher_cannot_read(tmp_path) -> None:
    cafe = "A caf\u00e9 in Ljubljana."
    lines = ["“The man’s—name,” he said – twice.", "Dried scallop is called 乾瑤柱.", cafe]
    (tmp_path / "list.en").write_text("\n".join(lines) + "\n")
    found, table = written(tmp_path, {"sources": [{"path": "list", "lines": "sentences"}]})
    assert set(found["train"]) == {'"The man\'s - name," he said - twice.', cafe}
    assert table["another script"].tolist() == [1]


def test_no_document_is_in_two_splits(data) -> None:
    """Whatever the documents of at most ten paragraphs are, two splits have no document in common."""
    for seed in range(8):
        found, _ = written(data, SELECTION | {"seed": seed})
        numbers = {split: [int(sentence.split()[0]) for sentence in found[split]] for split in SPLITS}
        of_book = {split: {n // 2 for n in numbers[split] if n < 400} for split in SPLITS}
        assert len(of_book["train"]) >= 70
        for one, other in combinations(SPLITS, 2):
            nearest = min(abs(first - second) for first in of_book[one] for second in of_book[other])
            assert nearest >= 10, "ten paragraphs apart, they are in no document of ten"
        assert len({paragraph // 10 for paragraph in of_book["test"]}) == 2, "nine sentences, five from each"


def test_training_text_is_in_a_random_order_of_which_fewer_are_the_first(data) -> None:
    found, _ = written(data, SELECTION)
    assert written(data, SELECTION)[0] == found
    fewer, table = written(data, SELECTION | {"sentences": 40})
    assert fewer == found | {"train": found["train"][:40]}
    assert table["beyond the limit"].sum() == len(found["train"]) - 40
    numbers = [int(sentence.split()[0]) for sentence in found["train"]]
    assert numbers != sorted(numbers)
    assert any(number >= 1000 for number in numbers[:40]), "of both sources"
    assert written(data, SELECTION | {"seed": 4})[0]["train"] != found["train"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": [BOOK | {"dev": 100}]}, r"book\.txt has too few documents for dev: \d+ sentences"),
        ({"shortest": 9, "longest": 8}, "no sentence has 9 to 8 words"),
        ({"test_sets": ["none.en"]}, r"none\.en"),
    ],
)
def test_what_cannot_be_selected(data, change, message) -> None:
    with pytest.raises(InputError, match=message):
        written(data, SELECTION | change)
