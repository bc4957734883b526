"""Treebanks gathered, thinned and split."""

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, read_conllu, write_conllu
from headwork.parses.treebank import Size, gather


def _tree(*forms):
    forms = enumerate(forms)
    return Sentence([Word(form, upos="X", head=n, deprel="dep" if n else "root") for n, form in forms])


def _texts(path):
    return [" ".join(sentence.forms) for sentence in read_conllu(path)]


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.conllu"
    write_conllu(path, [_tree("sentence", str(number)) for number in range(400)])
    return path


@pytest.fixture
def parts(tmp_path):
    return tmp_path / "train.conllu", tmp_path / "dev.conllu"


def test_every_sentence_goes_to_one_side(bank, parts):
    sizes = gather([bank], [], *parts, dev_share=0.2)
    train, dev = map(_texts, parts)
    assert sorted(train + dev) == sorted(_texts(bank))
    assert sizes == {"train": Size(len(train), 2 * len(train)), "dev": Size(len(dev), 2 * len(dev))}
    assert 50 < len(dev) < 110


def test_the_order_of_the_sentences_does_not_matter(bank, parts, tmp_path):
    gather([bank], [], *parts, sentences=100, dev_sentences=20)
    first = [set(_texts(part)) for part in parts]
    assert list(map(len, first)) == [100, 20]
    turned = tmp_path / "turned.conllu"
    write_conllu(turned, reversed(list(read_conllu(bank))))
    gather([turned], [], *parts, sentences=100, dev_sentences=20)
    assert [set(_texts(part)) for part in parts] == first


def test_equal_sentences_stay_together(tmp_path, parts):
    path = tmp_path / "twice.conllu"
    write_conllu(path, [_tree("w", str(number // 2)) for number in range(200)])
    gather([path], [], *parts, dev_share=0.5)
    train, dev = map(_texts, parts)
    assert not set(train) & set(dev)


def test_given_dev_and_kept_out_sentences_are_not_in_train(bank, parts, tmp_path):
    dev = tmp_path / "own.conllu"
    write_conllu(dev, [_tree("sentence", "7"), _tree("another", "one")])
    test = tmp_path / "test.txt"
    test.write_text("Sentence 8\nanother one\n", encoding="utf-8")
    gather([bank], [dev], *parts, kept_out=[test])
    train, own = map(_texts, parts)
    assert own == ["sentence 7"]
    assert len(train) == 398
    assert not {"sentence 7", "sentence 8"} & set(train)


def test_an_empty_part_is_refused(bank, parts, tmp_path):
    test = tmp_path / "test.txt"
    test.write_text("\n".join(_texts(bank)) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bank\.conllu: no sentence is left for the train part"):
        gather([bank], [bank], *parts, sentences=5)
    with pytest.raises(InputError, match="no sentence is left"):
        gather([bank], [], *parts, kept_out=[test])
    empty = tmp_path / "empty.conllu"
    empty.touch()
    with pytest.raises(InputError, match=r"empty\.conllu: the file is empty"):
        gather([empty], [], *parts)
    assert not any(part.exists() for part in parts)


def test_words_without_tags_and_trees_with_faults_are_refused(parts, tmp_path):
    path = tmp_path / "bad.conllu"
    untagged = _tree("a", "b")
    untagged.words[1].upos = None
    write_conllu(path, [_tree("a"), untagged])
    with pytest.raises(InputError, match=r"bad\.conllu:3: word 2 .*, 'b', has no UPOS"):
        gather([path], [path], *parts, dev_sentences=1, sentences=2)
    rootless = _tree("a", "b")
    rootless.words[0].head = 2
    write_conllu(path, [rootless])
    dev = tmp_path / "own.conllu"
    write_conllu(dev, [_tree("a")])
    with pytest.raises(InputError, match=r"bad\.conllu:1: .*0 roots"):
        gather([path], [dev], *parts)
