"""Planted dependency heads are found, in either direction; untrained ones are not; baselines are counted by hand."""

from itertools import islice

import pandas as pd
import pytest
import torch
from hand_made import table_of
from tiny_bert import tiny_bert

from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.heads.streaming.measure import measure
from headwork.heads.syntax.best_heads import best_heads
from headwork.heads.syntax.dependency import Dependency
from headwork.parses.align import SPECIAL
from headwork.parses.conllu import Sentence, Word, read_trees
from headwork.settings.heads import DependencySettings


def sentence(*words):
    """Words as (form, head, relation), heads counted from 1."""
    return Sentence([Word(form, head=head, deprel=name) for form, head, name in words])


CAT = sentence(
    ("the", 3, "det"),
    ("old", 3, "amod"),
    ("cat", 4, "nsubj"),
    ("sees", 0, "root"),
    ("dogs", 4, "obj"),
    (".", 4, "punct"),
)
DOGS = sentence(("dogs", 2, "nsubj"), ("sleep", 0, "root"), ("there", 2, "advmod:lmod"))


def batch_of(trees, cls=1, padding=2):
    """[CLS] and [SEP] around words of one piece each, the second word of two; then padding."""
    rows = []
    for tree in trees:
        words = [number for number in range(len(tree)) for _ in range(1 + (number == 1))]
        rows.append([SPECIAL] * cls + words + [SPECIAL])
    longest = max(map(len, rows)) + padding
    words = torch.tensor([row + [SPECIAL] * (longest - len(row)) for row in rows])
    present = torch.tensor([[True] * len(row) + [False] * (longest - len(row)) for row in rows])
    side = Side(words + 2, present, words >= 0, words, tuple(trees))
    return single_batch(side, "encoder")


def planted(batch, ways, noise=0.2, seed=0):
    """Maps in which head h sends most of each word's attention to its head ("up"), or to its dependents ("down")."""
    side = batch.queries["encoder"]
    shape = (len(side.ids), len(ways), *side.words.shape[1:], *side.words.shape[1:])
    maps = noise * torch.rand(shape, generator=torch.manual_seed(seed))
    for row, tree in enumerate(side.sentences):
        pieces = [(side.words[row] == number).nonzero()[:, 0] for number in range(len(tree))]
        for number, word in enumerate(tree.words):
            if not word.head:
                continue
            for head, way in enumerate(ways):
                if way:
                    ends = (number, word.head - 1) if way == "up" else (word.head - 1, number)
                    start, goal = (pieces[end] for end in ends)
                    maps[row, head, start[:, None], goal] += 1 / len(goal)
        maps[row, :, :, ~side.present[row]] = 0
    return maps


def shown(statistic, maps, batch):
    return table_of(statistic, maps, batch, layer=2)


def values_of(table, statistic="dependency"):
    return table[table["statistic"] == statistic].set_index(["head", "key"])["value"]


@pytest.fixture
def both():
    batch = batch_of([CAT, DOGS])
    return planted(batch, ["up", "down", None]), batch


def test_planted_heads_are_found_in_their_direction(both):
    statistic = Dependency()
    table = shown(statistic, *both)
    found = values_of(table)
    for relation in ("det", "amod", "nsubj", "obj", "punct", "advmod"):
        assert found[1, f"{relation}/dependent-to-head"] == 1, relation
        assert found[2, f"{relation}/head-to-dependent"] == 1, relation
    # nine words of which two are roots, which no head can find
    assert found[1, "all/dependent-to-head"] == found[2, "all/head-to-dependent"] == pytest.approx(7 / 9)
    assert found[1, "all but punct/dependent-to-head"] == pytest.approx(6 / 8)
    best = best_heads(table, min_count=1).set_index("relation")
    assert best.loc["nsubj", ["layer", "accuracy", "count"]].tolist() == [2, 1, 2]
    assert "root" in best.index
    assert best_heads(table, min_count=9)["relation"].tolist() == ["all"]


def test_special_pieces_and_the_word_itself_are_no_answer(both):
    maps, batch = both
    flooded = maps * 0.01
    flooded[:, :, :, 0] += 0.5
    flooded += 0.49 * torch.eye(maps.shape[-1])
    assert shown(Dependency(), flooded, batch).equals(shown(Dependency(), maps, batch))


def test_baseline_by_hand():
    statistic = Dependency()
    statistic.start(batch_of([CAT, DOGS]))
    found = statistic.baseline().set_index("relation")
    assert found.loc["det"].tolist() == [2, 1, 1]
    assert found.loc["nsubj"].tolist() == [1, 1, 2]
    assert found.loc["obj"].tolist() == [-1, 1, 1]
    # +1 is right for old, cat and the second sentence's dogs; -2 for "." and, by way of the root, for sleep
    assert found.loc["all"].tolist() == [1, 3 / 9, 9]


def test_an_offset_beyond_the_sentence_is_the_root_or_the_last_word():
    chain = sentence(("a", 0, "root"), ("b", 1, "conj"), ("c", 2, "conj"))
    statistic = Dependency(DependencySettings(offsets=(-1,)))
    statistic.start(batch_of([chain]))
    assert statistic.baseline().set_index("relation")["share"].to_dict() == {
        "root": 1, "conj": 1, "all": 1, "all but punct": 1
    }  # fmt: skip
    fan = sentence(("a", 3, "det"), ("b", 3, "amod"), ("c", 0, "root"))
    statistic = Dependency(DependencySettings(offsets=(2,)))
    statistic.start(batch_of([fan]))
    assert statistic.baseline().set_index("relation")["share"]["amod"] == 1  # clipped to the last word


def test_a_possessor_is_judged_by_its_clitic():
    """The dog 's owner: the prediction made for 's counts, for the possessor's head."""
    tree = sentence(("dog", 3, "nmod:poss"), ("'s", 1, "case"), ("owner", 0, "root"))
    batch = batch_of([tree])
    maps = torch.full((1, 1, *batch.inputs["input_ids"].shape[1:] * 2), 0.01)
    side = batch.queries["encoder"]
    dog, clitic, owner = ((side.words[0] == number).nonzero()[:, 0] for number in range(3))
    maps[0, 0, clitic[:, None], owner] = 0.9
    maps[0, 0, dog[:, None], clitic] = 0.9
    key = (1, "nmod:poss/dependent-to-head")
    assert values_of(shown(Dependency(), maps, batch))[key] == 1
    assert values_of(shown(Dependency(DependencySettings(clitics=())), maps, batch))[key] == 0
    alone = sentence(("dog", 0, "nmod:poss"))  # nothing after it
    assert values_of(shown(Dependency(), maps[:, :, :5, :5], batch_of([alone])))[key] == 0


def test_labels_count_as_themselves_or_as_their_main_label():
    tree = sentence(("a", 2, "nsubj:pass"), ("b", 0, "root"), ("c", 2, "obl:agent"), ("d", 2, "dobj"))
    batch = batch_of([tree])
    keys = set(shown(Dependency(), planted(batch, ["up"]), batch)["key"].str.split("/").str[0])
    assert keys == {"nsubj:pass", "root", "obl", "all", "all but punct"}
    stanford = Dependency(DependencySettings(relations=("dobj",)))
    keys = set(shown(stanford, planted(batch, ["up"]), batch)["key"].str.split("/").str[0])
    assert keys == {"dobj", "all", "all but punct"}


def test_halves_make_the_whole_and_depend_on_the_seed():
    trees = [
        sentence(*((f"w{n}{place}", max(0, place - 1), "dep") for place in range(1, 5))) for n in range(40)
    ]
    batch = batch_of(trees)
    maps = planted(batch, ["up", None])
    tables = [shown(Dependency(DependencySettings(seed=seed)), maps, batch) for seed in (0, 0, 1)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    for table in tables:
        rows = table[(table["head"] == 2) & (table["key"] == "dep/dependent-to-head")].set_index("statistic")
        whole, first, second = rows["count"]
        assert whole == first + second == 160
        hits = rows["value"] * rows["count"]
        assert hits.iloc[0] == pytest.approx(hits.iloc[1:].sum())


def test_split_half_by_hand():
    """Head 1 is best on the first half, head 2 on the second: chosen on the one, they fail on the other."""
    rows = []
    for statistic, first, second, count in (
        ("dependency", 0.6, 0.5, 20),
        ("dependency-half-1", 1.0, 0.2, 12),
        ("dependency-half-2", 0.0, 0.95, 8),
    ):
        rows += [("encoder", 1, 1, statistic, "obj/dependent-to-head", first, count)]
        rows += [("encoder", 1, 2, statistic, "obj/head-to-dependent", second, count)]
    columns = ["kind", "layer", "head", "statistic", "key", "value", "count"]
    found = best_heads(pd.DataFrame(rows, columns=columns), min_count=20).iloc[0]
    assert (found["head"], found["direction"], found["accuracy"]) == (1, "dependent-to-head", 0.6)
    # head 1, chosen on half 1, has 0 of 8; head 2, chosen on half 2, has .2 of 12
    assert found["split_half"] == pytest.approx((0 * 8 + 0.2 * 12) / 20)


def test_an_untrained_model_has_no_such_head_and_a_real_treebank_is_read(real_data):
    some = islice(read_trees(real_data / "treebank" / "en_ewt-ud-dev.conllu.gz"), 300)
    trees = [tree for tree in some if 4 < len(tree) < 25]
    model = tiny_bert(range(40), hidden_size=32, num_attention_heads=4).base_model
    statistic = Dependency()
    table = measure(model, [batch_of(trees)], [statistic])
    best = best_heads(table, min_count=50).set_index("relation")
    baseline = statistic.baseline().set_index("relation")
    for relation in ("det", "nsubj", "obj", "amod", "case"):
        assert best.loc[relation, "split_half"] < baseline.loc[relation, "share"] + 0.1, relation
    assert baseline.loc["det", "offset"] == 1
    assert table[table["key"] == "all/dependent-to-head"]["count"].max() == sum(map(len, trees))


def test_text_without_trees_and_two_texts_have_no_rows():
    side = batch_of([CAT]).queries["encoder"]
    bare = Side(side.ids, side.present, side.real, side.words)
    for batch in (single_batch(bare, "encoder"), Batch({}, {"encoder": side}, {"encoder": bare})):
        maps = torch.full((1, 2, side.ids.shape[1], side.ids.shape[1]), 0.1)
        assert shown(Dependency(), maps, batch).empty
