"""Segments of two parts: BERT's construction, on texts whose pieces are numbers that say where they stand."""

import random
from collections import Counter
from itertools import accumulate, pairwise

from headwork.corpora.running_text.segments import Segment, read_segments, segments, trimmed
from headwork.corpora.subwords.learning import learn
from headwork.settings.corpora import SegmentSettings, Subwords


def texts(lengths):
    """Paragraphs of sentences of those lengths; pieces count from 0 within a paragraph."""
    made = []
    for paragraph in lengths:
        ends = list(accumulate(paragraph, initial=0))
        made.append([list(range(start, end)) for start, end in pairwise(ends)])
    return made


def test_parts_follow_each_other_and_divide_at_a_boundary():
    given = texts([[10, 12, 9, 11]])  # 42 pieces and 3 specials
    found = [list(segments(given, SegmentSettings(pieces=45), seed)) for seed in range(40)]
    assert {len(segment.first) for (segment,) in found} == {10, 22, 31}
    assert all(segment.first + segment.second == list(range(42)) for (segment,) in found)


def test_boundaries_are_drawn_evenly():
    many = segments(texts([[3] * 5] * 4000), SegmentSettings(pieces=64))
    counts = Counter(len(segment.first) // 3 for segment in many)
    assert set(counts) == {1, 2, 3, 4}
    # 1000 each, standard deviation 27
    assert all(abs(count - 1000) < 120 for count in counts.values())


def test_a_segment_ends_when_it_is_full_or_the_paragraph_ends():
    settings = SegmentSettings(pieces=23)  # room for 20
    found = list(segments(texts([[8, 7, 9, 5, 6], [4, 4]]), settings))
    assert len(found) == 3  # 8 7 9 are 24 and cut to 20; 5 6 are what is left; then the next paragraph
    assert [len(a) + len(b) for a, b in found] == [20, 11, 8]
    assert min(found[1].first) == 24


def test_lengths_and_running_text():
    chance = random.Random(1)
    lengths = [[chance.randint(1, 40) for _ in range(chance.randint(1, 12))] for _ in range(300)]
    for lone in "halve", "skip":
        for first, second in segments(texts(lengths), SegmentSettings(pieces=64, lone=lone), 3):
            assert min(len(first), len(second)) > 0
            assert len(first) + len(second) <= 61
            assert max(first) < min(second)
            assert all(after == before + 1 for part in (first, second) for before, after in pairwise(part))


def test_the_longer_part_is_trimmed_at_either_end():
    cut = [trimmed(list(range(30)), list(range(100, 110)), 20, random.Random(seed)) for seed in range(300)]
    assert all(len(first) == len(second) == 10 for first, second in cut)
    assert all(second == list(range(100, 110)) for _, second in cut)
    starts = [first[0] for first, _ in cut]
    assert 9 < sum(starts) / len(starts) < 11  # of 20 pieces cut off, half at the front
    assert min(starts) < 7
    assert max(starts) > 13
    # equal parts: the second loses the first piece
    assert [len(part) for part in trimmed([1, 2, 3], [4, 5, 6], 5, random.Random(0))] == [3, 2]
    assert trimmed([1], [2], 5, random.Random(0)) == Segment([1], [2])


def test_a_lone_sentence():
    given = texts([[30, 4, 5], [7]])
    halved = list(segments(given, SegmentSettings(pieces=23, lone="halve")))
    assert [len(a) + len(b) for a, b in halved] == [20, 9, 7]
    assert len(halved[2].first) == 3
    assert [len(a) + len(b) for a, b in segments(given, SegmentSettings(pieces=23, lone="skip"))] == [9]
    # as released: the rest of the paragraph is lost
    assert list(segments(given, SegmentSettings(pieces=23, lone="stop"))) == []
    assert list(segments(texts([[1]]), SegmentSettings(pieces=23))) == []


def test_the_seed_decides():
    given = texts([[9, 8, 7, 6, 5]] * 50)
    first, again, other = (list(segments(given, SegmentSettings(pieces=32), seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_they_stream():
    def endless():
        while True:
            yield [[1, 2, 3], [4, 5]]

    assert next(segments(endless(), SegmentSettings())) == ([1, 2, 3], [4, 5])


def test_from_a_file(tmp_path):
    (tmp_path / "train.txt").write_text("a b c .\nd e .\n\nf g .\nh i j .\n")
    tokenizer = learn([tmp_path / "train.txt"], Subwords(kind="wordpiece", vocabulary=40, min_frequency=1))
    found = list(read_segments(tmp_path / "train.txt", tokenizer, SegmentSettings()))
    said = [[tokenizer.decode(part) for part in segment] for segment in found]
    assert said == [["a b c.", "d e."], ["f g.", "h i j."]]
