"""Sources to the files of a corpus: nothing lost without a reason, no sentence in two splits, all or nothing."""

import csv
import random

import pytest

from headwork.corpora.parallel.prepare import prepare
from headwork.corpora.sources.locations import Places
from headwork.errors import InputError
from headwork.settings.corpora import ParallelText


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def write(data, stem, pairs, target="ru"):
    (data / f"{stem}.en").write_text("".join(f"{source}\n" for source, _ in pairs))
    (data / f"{stem}.{target}").write_text("".join(f"{translation}\n" for _, translation in pairs))


def corpus(*sources, **settings):
    described = [{"type": "local", **({"path": s} if isinstance(s, str) else s)} for s in sources]
    given = {"source": "en", "target": "ru", "tokenisation": "none", "sources": described, **settings}
    return ParallelText.read(given, "corpus")


def lines(folder, name):
    return (folder / name).read_text().splitlines()


def pairs_of(folder, split):
    return list(zip(lines(folder, f"{split}.source.txt"), lines(folder, f"{split}.target.txt"), strict=True))


def reasons(folder):
    with open(folder / "cleaning.csv", newline="") as file:
        return {(row["source"], row["reason"]): int(row["pairs"]) for row in csv.DictReader(file)}


MANY = [(f"sentence number {n} here", f"предложение номер {n}") for n in range(400)]


def test_every_pair_is_in_one_split(data, tmp_path):
    write(data, "a", MANY)
    prepare(corpus("a"), tmp_path / "out", Places(data))
    together = [pair for split in ("train", "dev", "test") for pair in pairs_of(tmp_path / "out", split)]
    assert sorted(together) == sorted(MANY)
    assert lines(tmp_path / "out", "test.reference.txt") == lines(tmp_path / "out", "test.target.txt")


def test_splits_do_not_depend_on_the_order_of_the_input(data, tmp_path):
    several = [(source, f"{target} {n}") for source, target in MANY for n in range(2)]
    write(data, "a", several[:500])
    write(data, "b", several[500:])
    shuffled = random.Random(3).sample(several, len(several))
    write(data, "c", shuffled)
    shares = {"splits": {"dev": 0.2, "test": 0.2}, "limit": 300}
    prepare(corpus("a", "b", **shares), tmp_path / "one", Places(data))
    prepare(corpus("c", **shares), tmp_path / "two", Places(data))
    sentences = {}
    for split in ("train", "dev", "test"):
        one, two = pairs_of(tmp_path / "one", split), pairs_of(tmp_path / "two", split)
        assert sorted(one) == sorted(two)
        sentences[split] = {source for source, _ in one}
    assert len(pairs_of(tmp_path / "one", "train")) == 300
    assert not sentences["train"] & (sentences["dev"] | sentences["test"])
    assert not sentences["dev"] & sentences["test"]


def test_explicit_test_set_stays_whole_and_its_sentences_leave_train(data, tmp_path):
    write(data, "a", [*MANY, ("Known sentence", "Другой перевод"), ("KNOWN sentence", "Третий перевод")])
    standard = [("known sentence", "известное")] * 2 + [("one", "очень длинный перевод слова")]
    write(data, "t", standard)
    prepare(corpus({"path": "t", "split": "test"}, "a"), tmp_path / "out", Places(data))
    assert pairs_of(tmp_path / "out", "test") == standard
    held_out = len(pairs_of(tmp_path / "out", "dev"))
    assert reasons(tmp_path / "out") == {
        ("t", "kept in test"): 3,
        ("a", "kept in train"): 400 - held_out,
        ("a", "kept in dev"): held_out,
        ("a", "sentence is in dev or test"): 2,
    }
    assert 0 < held_out < 30


def test_sentence_that_a_train_source_shares_with_dev_by_hash(data, tmp_path):
    write(data, "a", MANY)
    write(data, "b", MANY)
    prepare(corpus("a", {"path": "b", "split": "train"}), tmp_path / "out", Places(data))
    held_out = sum(len(pairs_of(tmp_path / "out", split)) for split in ("dev", "test"))
    assert reasons(tmp_path / "out")["b", "sentence is in dev or test"] == held_out
    assert reasons(tmp_path / "out")["b", "duplicate"] == 400 - held_out


def test_report_accounts_for_every_pair(data, tmp_path):
    bad = [
        ("", "пусто"),
        ("nothing", " \u00a0"),
        ("bell\x07", "звонок"),
        ("word " * 101, "слово " * 101),
        ("one", "раз два три четыре"),
        ("English", "English"),
        MANY[0],
    ]
    write(data, "a", [*MANY, *bad])
    described = corpus("a", cleaning={"scripts": {"ru": "Cyrillic"}}, splits={"dev": 0.02, "test": 0.02})
    prepare(described, tmp_path / "out", Places(data))
    with open(tmp_path / "out" / "cleaning.csv", newline="") as file:
        rows = {row["reason"]: row for row in csv.DictReader(file)}
    once = ("control characters", "too long", "length ratio", "wrong script", "duplicate")
    left = {reason: int(row["pairs"]) for reason, row in rows.items() if not reason.startswith("kept")}
    assert left == {"empty side": 2, **dict.fromkeys(once, 1)}
    assert sum(int(row["pairs"]) for row in rows.values()) == 407
    assert sum(float(row["share"]) for row in rows.values()) == pytest.approx(1, abs=1e-5)
    assert rows["control characters"]["example_line"] == "a.en:403: bell\ufffd"
    assert rows["wrong script"]["example_line"] == "a.en:406: English"
    assert rows["duplicate"]["example_line"] == f"a.en:407: {MANY[0][0]}"


def test_uncleaned_test_set_loses_control_characters_not_lines(data, tmp_path):
    write(data, "a", MANY)
    write(data, "t", [("odd\x07 \u2028line", "строка\x85"), ("", "пустая")])
    prepare(corpus("a", {"path": "t", "split": "test"}), tmp_path / "out", Places(data))
    assert pairs_of(tmp_path / "out", "test") == [("odd line", "строка")]
    assert reasons(tmp_path / "out")["t", "empty side"] == 1


def test_moses_text_has_references_as_they_came(data, tmp_path):
    write(data, "a", [(f"It's {n}, you know.", f"Это {n}, знаешь.") for n in range(300)])
    write(data, "films", [(f"That 's {n} .", f"Ну , {n} .") for n in range(50)])
    films = {"path": "films", "split": "test", "tokenised": True}
    described = corpus("a", films, tokenisation="moses", splits={"dev": 0.1, "test": 0.1})
    prepare(described, tmp_path / "out", Places(data))
    words, text = (lines(tmp_path / "out", f"test.{side}.txt") for side in ("target", "reference"))
    test = dict(zip(words, text, strict=True))
    assert test["Ну , 7 ."] == "Ну, 7."
    assert "That 's 7 ." in lines(tmp_path / "out", "test.source.txt")
    running = {words: text for words, text in test.items() if words.startswith("Это")}
    assert running
    assert all(text == words.replace(" ,", ",").replace(" .", ".") for words, text in running.items())


def test_same_bytes_each_time_and_with_more_processes(data, tmp_path):
    write(data, "a", [*MANY, *MANY[:9]])
    described = corpus("a", tokenisation="moses", limit=200)
    for name, processes in (("one", 1), ("two", 2)):
        prepare(described, tmp_path / name, Places(data), processes)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: (data / "b.ru").write_text("да\n"), r"b\.en:2: nothing stands opposite: b\.en has 400"),
        (lambda data: (data / "b.en").write_bytes(b"\xff\xfe"), r"b\.en:1: byte 1 of the line is not UTF-8"),
        (lambda data: (data / "b.en").write_bytes(b""), r"b\.en: the file is empty"),
        (lambda data: (data / "b.en").unlink(), r"b\.en: the file does not exist"),
    ],
)
def test_bad_input_leaves_nothing_half_written(data, tmp_path, damage, message):
    write(data, "a", MANY)
    write(data, "b", MANY)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "train.source.txt").write_text("an earlier run's\n")
    damage(data)
    with pytest.raises(InputError, match=message):
        prepare(corpus("a", "b"), tmp_path / "out", Places(data))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["train.source.txt"]
    assert lines(tmp_path / "out", "train.source.txt") == ["an earlier run's"]


def test_remains_of_a_killed_run_are_cleared(data, tmp_path):
    write(data, "a", MANY)
    (tmp_path / "out" / ".part").mkdir(parents=True)
    (tmp_path / "out" / ".part" / "train.source.txt.swept").write_text("half a li")
    prepare(corpus("a"), tmp_path / "out", Places(data))
    assert not (tmp_path / "out" / ".part").exists()
    assert not list((tmp_path / "out").glob("*.swept"))


def test_split_that_stays_empty(data, tmp_path):
    write(data, "a", MANY[:3])
    with pytest.raises(InputError, match=r"no pair is left for dev \(of 3\); give it more text"):
        prepare(corpus("a", splits={"dev": 1e-6, "test": 0}), tmp_path / "out", Places(data))
    assert list((tmp_path / "out").iterdir()) == []
