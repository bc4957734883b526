"""Examples of a task as batches: pieces as the tokenizer has them, words and trees counted through."""

import pytest
import torch
from task_trees import EXAMPLES, TREES, tokenizer

from headwork.corpora.annotated.glue import Example
from headwork.errors import InputError
from headwork.heads.streaming.task_texts import task_batches, task_texts, trees_of_examples

TREEBANK = """# sent_id = main-news-17-1
1\towls\t_\tNOUN\t_\t_\t0\troot\t_\t_

# sent_id = main-news-17-2
1\tcats\t_\tNOUN\t_\t_\t0\troot\t_\t_

"""


def test_pieces_are_the_tokenizers_and_words_are_counted_through():
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40, TREES)
    first = texts[0]
    assert first.pieces.ids == tokenizer()(EXAMPLES[0].first, EXAMPLES[0].second)["input_ids"]
    assert first.pieces.words == [-1, *range(7), -1, *range(7, 12), -1]
    assert seconds == [9, 5]
    assert first.tree.forms == EXAMPLES[0].first.split() + EXAMPLES[0].second.split()
    # heads and roles of the second sentence are moved by the length of the first; its root stays one
    assert [word.head for word in first.tree.words[7:]] == [9, 0, 11, 9, 9]
    assert first.tree.words[10].misc == {"Role": "A1:9"}
    assert first.tree.words[5].misc == {"Role": "A1:3"}


def test_batches_say_where_the_second_part_begins():
    texts, seconds, _ = task_texts(EXAMPLES, tokenizer(), 40)
    (batch,) = task_batches(texts, seconds, tokenizer().pad_token_id, 100)
    longer = 1  # texts come in order of their length
    encoded = tokenizer()(EXAMPLES[0].first, EXAMPLES[0].second, return_token_type_ids=True)
    assert batch.inputs["token_type_ids"][longer].tolist() == encoded["token_type_ids"]
    side = batch.queries["encoder"]
    assert side.present.sum(1).tolist() == [10, 15]
    assert batch.inputs["token_type_ids"][0].sum() == 5
    assert not (batch.inputs["token_type_ids"].bool() & ~side.present).any()
    (plain,) = task_batches(texts, seconds, 0, 100, types=False)
    assert "token_type_ids" not in plain.inputs
    assert len(task_batches(texts, seconds, 0, 15)) == 2
    assert torch.equal(batch.inputs["input_ids"], plain.inputs["input_ids"])


def test_a_single_sentence_has_no_second_part():
    texts, seconds, _ = task_texts([Example(0, "owls eat .", None, "a")], tokenizer(), 40)
    assert seconds == [5]
    (batch,) = task_batches(texts, seconds, 0, 100)
    assert batch.inputs["token_type_ids"].sum() == 0


def test_examples_that_are_too_long_are_left_out():
    texts, _, indices = task_texts(EXAMPLES, tokenizer(), 12)
    assert [len(text) for text in texts] == [10]
    assert indices == [EXAMPLES[1].index]
    with pytest.raises(InputError, match="rte: no example has at most 4 pieces"):
        task_texts(EXAMPLES, tokenizer(), 4, name="rte")


def test_trees_are_found_by_the_number_of_their_example(tmp_path):
    (tmp_path / "dev.conllu").write_text(TREEBANK)
    found = trees_of_examples(tmp_path / "dev.conllu")
    assert {index: [tree.forms for tree in own] for index, own in found.items()} == {17: [["owls"], ["cats"]]}
    (tmp_path / "dev.conllu").write_text(TREEBANK.replace("17-2", "x"))
    with pytest.raises(InputError, match=r"dev\.conllu:4: sent_id is 'main-news-x'; it must end in"):
        trees_of_examples(tmp_path / "dev.conllu")


def test_trees_of_other_words_are_refused():
    with pytest.raises(InputError, match="rte: the trees of example 3 are not of its words"):
        task_texts(EXAMPLES, tokenizer(), 40, {**TREES, 3: TREES[0]}, "rte")
