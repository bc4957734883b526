"""What an encoder is trained on: segments masked anew in each pass, labelled texts, and the batches of both."""

import copy

import numpy as np
import pytest
import torch
from tokenizers.processors import TemplateProcessing
from toy_text import segments_of, tokenizer_of, write_paragraphs, write_sentiment, write_similarity

from headwork.corpora.annotated.glue import TASKS, read_task
from headwork.corpora.running_text.segments import Segment
from headwork.models.objectives.encoder_batches import EncoderCollator, LabelledTexts, MaskedSegments
from headwork.models.objectives.masking import Masking
from headwork.models.training.batches import Passes
from headwork.settings.models import MaskingSettings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_paragraphs(tmp_path_factory.mktemp("batches"), {"train": 60, "dev": 10})


@pytest.fixture(scope="module")
def tokenizer(folder):
    return tokenizer_of(folder)


def labelled(folder, tokenizer, task="SST-2", longest=40, number=6):
    """The examples of a task written to the folder, and the texts of a training."""
    (write_sentiment if task == "SST-2" else write_similarity)(folder, {"train": number})
    examples = list(read_task(folder, task, "train"))
    return examples, LabelledTexts(examples, TASKS[task], tokenizer, longest)


def test_a_segment(tokenizer):
    data = MaskedSegments([Segment([9, 8], [7, 6, 5])], tokenizer, Masking(tokenizer, MaskingSettings()), 0)
    assert data.source[0].tolist() == [2, 9, 8, 3, 7, 6, 5, 3]
    row = data[0]
    assert row.types.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (row.labels >= 0).sum() == 1
    assert row.follows is None
    batch = EncoderCollator(tokenizer)([row, row._replace(pieces=row.pieces[:5], types=row.types[:5])])
    assert batch["attention_mask"].tolist() == [[1] * 8, [1] * 5 + [0] * 3]
    assert batch["token_type_ids"].tolist()[1] == [0, 0, 0, 0, 1, 0, 0, 0]
    assert batch["input_ids"].tolist()[1][5:] == [tokenizer.pad_token_id] * 3
    assert "token_type_ids" not in EncoderCollator(tokenizer, types=False)([row])


def test_masks_are_drawn_anew_in_each_pass(folder):
    data, other = segments_of(folder, "train"), segments_of(folder, "train", seed=2)

    def masked(data, first):
        return np.concatenate([data[number].labels >= 0 for number in range(first, first + len(data))])

    first, second = masked(data, 0), masked(data, len(data))
    assert (first == masked(data, 0)).all()
    assert (first != second).any()
    assert first.sum() == second.sum()
    assert any(
        len(data[n].labels) == len(other[n].labels) and (data[n].labels != other[n].labels).any()
        for n in range(9)
    )


def test_passes_number_their_items(folder):
    data = segments_of(folder, "train")
    count = len(data)
    batches = list(Passes(data, 200, 40, seed=3))
    assert all(len(data.source[0]) for batch in batches for _ in batch)
    seen = [number for batch in batches for number in batch]
    assert sorted(seen[:count]) == list(range(count))
    assert sorted(seen[count : 2 * count]) == list(range(count, 2 * count))
    for batch in batches:
        assert max(len(data[number].pieces) for number in batch) * len(batch) <= 200
    tokens = Passes(data, 200, 40, seed=3).target_tokens()
    assert tokens.tolist() == [sum(len(data[number].pieces) for number in batch) for batch in batches]
    # a training that starts again in the middle sees what it would have seen
    assert list(Passes(data, 200, 60, seed=3))[:40] == batches


def test_batches_of_examples(tokenizer, tmp_path):
    _, data = labelled(tmp_path, tokenizer, number=103)
    batches = list(Passes(data, 1, 22, seed=1, window=40, examples=10))
    assert sorted(map(len, batches[:11])) == [3] + [10] * 10
    assert sorted(number for batch in batches[11:] for number in batch) == list(range(103, 206))
    spread = [np.ptp([len(data[number].pieces) for number in batch]) for batch in batches]
    assert np.mean(spread) < 3, "like lengths meet"


def test_labelled_texts(tokenizer, tmp_path):
    examples, data = labelled(tmp_path / "one", tokenizer)
    assert data.labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert data[7].labels == 1
    assert tokenizer.decode(data[3].pieces) == f"[CLS] {examples[3].first} [SEP]"
    assert data[3].types.sum() == 0
    assert EncoderCollator(tokenizer)([data[0], data[1]])["labels"].dtype == torch.long
    examples, pairs = labelled(tmp_path / "two", tokenizer, "STS-B", longest=6)
    row = pairs[0]
    assert len(row.pieces) == 6, "cut"
    assert row.types.tolist() == [0, 0, 0, 1, 1, 1]
    assert row.labels == examples[0].label
    assert EncoderCollator(tokenizer)([row])["labels"].dtype == torch.float32


def test_second_parts_where_types_do_not_tell(tokenizer, tmp_path):
    """As RoBERTa's: <s> A </s></s> B </s>, all of type 0."""
    other = copy.deepcopy(tokenizer)
    marks = [("[CLS]", 2), ("[SEP]", 3)]
    other.backend_tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] [SEP] $B:0 [SEP]:0", special_tokens=marks
    )
    plain, data = (labelled(tmp_path, each, "STS-B")[1] for each in (tokenizer, other))
    assert (data.second == plain.second + 1).all()
    for number in range(6):
        begin = data.second[number]
        assert data.source[number][begin:].tolist() == plain.source[number][begin - 1 :].tolist()
        assert data[number].types.sum() == 0
    assert (plain.types(5, 3).tolist(), data.types(5, 3).tolist()) == ([0, 0, 0, 1, 1], [0] * 5)


def test_digest_knows_labels_and_parts(tokenizer, tmp_path):
    examples, ours = labelled(tmp_path, tokenizer)
    _, again = labelled(tmp_path, tokenizer)
    other = LabelledTexts([*examples[:-1], examples[0]], TASKS["SST-2"], tokenizer, 40)
    assert ours.digest() == again.digest() != other.digest()


def test_unrelated_second_parts(folder, tokenizer):
    plain, exchanged = (segments_of(folder, "train", unrelated=unrelated) for unrelated in (False, True))
    follows = np.array([exchanged[number].follows for number in range(len(exchanged))])
    assert (follows == 1).sum() == len(exchanged) // 2
    for number, label in enumerate(follows.tolist()):
        ours, theirs = exchanged.source[number], plain.source[number]
        begin = plain.second[number]
        assert exchanged.second[number] == begin
        assert ours[:begin].tolist() == theirs[:begin].tolist()
        if label == 0:
            assert ours.tolist() == theirs.tolist()
        assert len(ours) <= 32
        assert ours[-1] == tokenizer.sep_token_id
    seconds = [plain.source[n][plain.second[n] :].tolist() for n in range(len(plain))]
    for number in np.flatnonzero(follows).tolist():
        found = exchanged.source[number][exchanged.second[number] : -1].tolist()
        owners = [n for n, second in enumerate(seconds) if second[: len(found)] == found]
        assert owners
        assert owners != [number]
    batch = EncoderCollator(tokenizer)([exchanged[n] for n in range(4)])
    assert batch["next_sentence_label"].tolist() == follows[:4].tolist()
