"""The world's tasks as files: balanced, no pair in two splits, the same for the same seed, read by the reader."""

import shutil
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.errors import InputError
from headwork.settings.world import TaskSizes
from miniature_world.generate import english
from miniature_world.tasks import relations
from miniature_world.tasks.relations import Relations
from miniature_world.tasks.write import LABELS, RECIPES, make_task, write_tasks

SIZES = TaskSizes(train=120, dev=60)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    return folder, write_tasks(folder, SIZES, seed=1)


def examples(folder, task):
    return {split: list(read_task(folder / task, task, split)) for split in ("train", *TASKS[task].dev)}


def test_every_task_is_read_by_the_reader_of_the_official_formats(written):
    folder, summary = written
    for task in RECIPES:
        rows = summary[summary["task"] == task]
        for split, listed in examples(folder, task).items():
            of_split = rows[rows["split"] == split]
            assert (
                len(listed) == of_split["examples"].sum() == (SIZES.train if split == "train" else SIZES.dev)
            )
            assert [example.index for example in listed] == list(range(len(listed)))
            assert all((example.second is None) == (TASKS[task].columns[1] is None) for example in listed)
            words = sum(len(f"{e.first} {e.second or ''}".split()) for e in listed) / len(listed)
            assert words == pytest.approx((of_split["words"] * of_split["examples"]).sum() / len(listed))


def test_labels_are_balanced(written):
    for task in RECIPES:
        for listed in examples(written[0], task).values():
            if TASKS[task].labels is not None:
                counts = Counter(example.label for example in listed)
                assert counts == dict.fromkeys(TASKS[task].labels, len(listed) // len(TASKS[task].labels))


def test_no_pair_stands_in_two_splits_nor_twice(written):
    for task in RECIPES:
        every = [each for listed in examples(written[0], task).values() for each in listed]
        pairs = {frozenset((each.first, each.second)) for each in every}
        assert len(pairs) == len(every)
        assert all(len(pair) == 2 for pair in pairs)


def test_second_domain_is_subtitles(written):
    table = written[1]
    domains = table[table["task"] == "MNLI"].groupby("split")["domain"].unique().map(list).to_dict()
    assert domains == {"train": ["news"], "dev_matched": ["news"], "dev_mismatched": ["subtitles"]}


@pytest.mark.parametrize("task", ["SST-2", "MNLI"])
def test_the_same_seed_gives_the_same_examples_and_more_only_go_on(task):
    def texts(train, seed):
        made = make_task(task, TaskSizes(train=train, dev=20), seed)
        return [(split, example.texts, example.label) for split, example in made]

    few = texts(20, 1)
    assert texts(50, 1)[: len(few)] == few
    assert texts(20, 2) != few


def test_words_that_look_alike_are_drawn_alike():
    """The two sentences of a pair come from one distribution: either may be the original."""
    firsts, seconds = Counter(), Counter()
    for _, made in islice(make_task("MRPC", TaskSizes(train=300, dev=300), 5), 600):
        firsts.update(made.texts[0].split())
        seconds.update(made.texts[1].split())
    for word in ("by", "the", "painter", "artist"):
        assert firsts[word] == pytest.approx(seconds[word], abs=4 * (firsts[word] + 5) ** 0.5)


@pytest.mark.parametrize(
    ("file", "row", "message"),
    [
        ("synonyms", "painter\tsunset\tnoun", r"\.tsv:27: 'sunset' is not one noun .* it has none"),
        ("synonyms", "bank\triver\tnoun", r"\.tsv:27: 'bank' .* it has bank%1, bank%2"),
        ("synonyms", "painter\twriter\tnoun", r"\.tsv:27: painter%1 has a synonym already"),
        ("sentiment", "tall\tadjective\tgood", r"\.tsv:\d+: unknown polarity 'good'; known are \+, -"),
        ("hypernyms", "fruit\tfruits\tfruit\tany", r"\.tsv:13: unknown class 'fruit'; known are animal"),
        ("hypernyms", "fruit\tfruits", r"\.tsv:13: 2 cells where the head has 4"),
    ],
)
def test_data_files_that_cannot_be_used(tmp_path, file, row, message):
    for path in Path(relations.__file__).parent.glob("*.tsv"):
        shutil.copy(path, tmp_path)
    with (tmp_path / f"{file}.tsv").open("a") as stream:
        stream.write(row + "\n")
    with pytest.raises(InputError, match=file + message):
        Relations(english().lexicon, tmp_path)


def test_the_classes_of_tasks_are_those_of_glue() -> None:
    assert {task: TASKS[task].labels for task in LABELS} == LABELS
