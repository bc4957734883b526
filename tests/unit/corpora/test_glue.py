"""Files of GLUE: every task's format, shortened copies, quotation marks, and the sentence that each mistake gets."""

import gzip

import pytest

from headwork.corpora.annotated.glue import TASKS, Example, read_task
from headwork.errors import InputError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path.parent


def rows(*cells):
    return "".join("\t".join(row.split("|")) + "\n" for row in cells)


FORMATS = {
    "SST-2": (rows("sentence|label", "a fine film |1", "dull |0"), [("a fine film ", None, "positive")]),
    "CoLA": (rows("gj04|1||They left.", "gj04|0|*|They leaves."), [("They left.", None, "acceptable")]),
    "MRPC": (
        "\ufeff"
        + rows("Quality|#1 ID|#2 ID|#1 String|#2 String", "1|7|8|He left .|He went .", "0|7|9|A .|B ."),
        [("He left .", "He went .", "equivalent")],
    ),
    "RTE": (
        rows("index|sentence1|sentence2|label", "0|It rains.|It is wet.|entailment", "1|A|B|not_entailment"),
        [("It rains.", "It is wet.", "entailment")],
    ),
    "MNLI": (
        rows(
            "index|promptID|pairID|genre|sentence1_binary_parse|sentence2_binary_parse|sentence1_parse|"
            "sentence2_parse|sentence1|sentence2|label1|label2|label3|label4|label5|gold_label",
            "0|63735|63735n|slate|( It )|( No )|(ROOT)|(ROOT)|It.|No.|neutral|neutral|neutral|neutral|neutral|neutral",
        ),
        [("It.", "No.", "neutral")],
    ),
    "QNLI": (
        rows("index|question|sentence|label", "0|Who left?|He left.|entailment"),
        [("Who left?", "He left.", "entailment")],
    ),
    "QQP": (
        rows("id|qid1|qid2|question1|question2|is_duplicate", '3|5|6|"What is ""x""?"|What\'s x?|1'),
        [('What is "x"?', "What's x?", "duplicate")],
    ),
    "STS-B": (
        rows(
            "index|genre|filename|year|old_index|source1|source2|sentence1|sentence2|score",
            "0|main-captions|MSRvid|2012test|0001|none|none|A plane.|An air plane.|4.750",
        ),
        [("A plane.", "An air plane.", 4.75)],
    ),
}


def test_every_task_has_a_format_here():
    assert set(FORMATS) == set(TASKS)


@pytest.mark.parametrize("task", FORMATS)
def test_official_formats(tmp_path, task):
    text, expected = FORMATS[task]
    folder = write(tmp_path / "dev.tsv", text)
    found = list(read_task(folder, task, "dev"))
    assert found[0] == Example(0, *expected[0])
    assert [example.index for example in found] == list(range(len(found)))


def test_a_compressed_file_and_the_name_of_the_first_release(tmp_path):
    text = FORMATS["MRPC"][0]
    write(tmp_path / "msr_paraphrase_test.txt.gz", gzip.compress(text.encode()))
    assert len(list(read_task(tmp_path, "MRPC", "test"))) == 2
    write(tmp_path / "test.tsv", "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t1\t2\tA\tB\n")
    assert list(read_task(tmp_path, "MRPC", "test")) == [Example(0, "A", "B", None)]


def test_a_shortened_copy(tmp_path):
    write(tmp_path / "train.tsv", rows("sentence1|sentence2|label", "Who?|He.|not_entailment"))
    assert list(read_task(tmp_path, "QNLI", "train")) == [Example(0, "Who?", "He.", "not_entailment")]


def test_test_splits_may_lack_labels_and_others_may_not(tmp_path):
    for split in ("test", "dev"):
        write(tmp_path / f"{split}.tsv", rows("index|sentence1|sentence2", "0|A|B"))
    assert next(read_task(tmp_path, "RTE", "test")).label is None
    with pytest.raises(
        InputError, match=r"dev\.tsv:1: no column 'label', which RTE needs; the head has index"
    ):
        list(read_task(tmp_path, "RTE", "dev"))


def test_a_lone_quotation_mark_is_a_letter_where_nothing_is_quoted(tmp_path):
    text = rows("index|sentence1|sentence2|label", '0|"It rains|wet"|entailment', "1|A|B|entailment")
    found = list(read_task(write(tmp_path / "dev.tsv", text), "RTE", "dev"))
    assert [(example.first, example.second) for example in found] == [('"It rains', 'wet"'), ("A", "B")]


@pytest.mark.parametrize("cell", ['"What is x?', '"What is "x"?"'], ids=["not closed", "not doubled"])
def test_an_unpaired_quotation_mark_where_cells_are_quoted(tmp_path, cell):
    head = "id|qid1|qid2|question1|question2|is_duplicate"
    text = rows(head, "0|1|2|A?|B?|0", f"1|3|4|{cell}|B?|1", '2|5|6|"C?"|D?|0')
    with pytest.raises(InputError, match=r"dev\.tsv:3: .*quotation marks?.* double"):
        list(read_task(write(tmp_path / "dev.tsv", text), "QQP", "dev"))


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        (
            "RTE",
            rows("index|sentence1|label", "0|A|entailment"),
            r":1: no column 'sentence2', which RTE needs",
        ),
        ("RTE", rows("sentence1|sentence2|label", "A|B|yes"), r":2: unknown label 'yes'; RTE has entailment"),
        ("SST-2", rows("sentence|label", "a|1", "b|2"), r":3: unknown label '2'; SST-2 has 0, 1"),
        ("SST-2", rows("sentence|label", "a|1", "b"), r":3: 1 cells where SST-2 has 2, with tabs"),
        ("CoLA", rows("gj04|1|They left."), r":1: 3 cells where CoLA has 4"),
        ("STS-B", rows("sentence1|sentence2|score", "A|B|high"), r":2: the score 'high' is no number from 0"),
        ("STS-B", rows("sentence1|sentence2|score", "A|B|5.1"), r":2: the score '5.1' is no number from 0"),
        ("SST-2", rows("sentence|label"), r":1: the file has no example below the header line"),
        ("SST-2", b"", r": the file is empty"),
        ("SST-2", b"sentence\tlabel\nb\xff\t1\n", r":2: byte 2 of the line is not UTF-8"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, task, text, message):
    with pytest.raises(InputError, match=r"dev\.tsv" + message):
        list(read_task(write(tmp_path / "dev.tsv", text), task, "dev"))


def test_unknown_task_and_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"unknown GLUE task 'SST2'; did you mean 'SST-2'"):
        next(read_task(tmp_path, "SST2", "dev"))
    with pytest.raises(InputError, match=r"dev_matched\.tsv: the file does not exist, nor with \.gz"):
        next(read_task(tmp_path, "MNLI", "dev_matched"))


@pytest.mark.parametrize(
    ("folder", "task", "split", "size"),
    [
        ("SST-2", "SST-2", "dev", 872),
        ("MRPC", "MRPC", "dev", 408),
        ("RTE", "RTE", "dev", 277),
        ("RTE", "RTE", "test", 3000),
        ("STS-B", "STS-B", "dev", 1500),
        ("QQP_subset", "QQP", "dev", 1000),
        ("MNLI_subset", "MNLI", "mnli_matched_dev1000", 1000),
    ],
)
def test_real_files(real_data, folder, task, split, size):
    place = real_data / "glue" / folder
    if not place.is_dir():
        pytest.skip(f"no {place}")
    found = list(read_task(place, task, split))
    assert len(found) == size
    labels = {example.label for example in found}
    if split == "test":
        assert labels == {None}
    elif TASKS[task].labels is not None:
        assert labels == set(TASKS[task].labels)
    assert not any('""' in example.first for example in found)
