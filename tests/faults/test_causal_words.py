"""In causal attention no word sees those after it: relations and antecedents that lie there are never found."""

import pytest
import torch
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from transformers import BertConfig, BertModel

from headwork import atlas
from headwork.corpora.annotated.coreference import Document, Mention
from headwork.head_atlas import texts as atlas_texts
from headwork.heads.coreference.antecedent_heads import Coreference, mention_batches
from headwork.heads.coreference.antecedents import MentionText
from headwork.heads.statistics.functions import Baselines, label
from headwork.heads.streaming.batches import single_batches, texts
from headwork.heads.streaming.measure import measure
from headwork.heads.syntax.dependency import Dependency
from headwork.heads.syntax.syntactic import Syntactic
from headwork.models.architectures.language_model import CausalMarianEncoder
from headwork.settings.atlas import AtlasSettings
from headwork.settings.parses import Relations

WORLD = atlas_texts.world(40, seed=1)
WORDS = word_tokenizer(sorted({word for tree in WORLD.trees for word in tree.forms}))


def causal_bert():
    config = tiny_bert(WORDS, is_decoder=True, max_position_embeddings=64).config
    torch.manual_seed(2)
    return BertModel(config, add_pooling_layer=False).eval()


def batches():
    found = texts(WORLD.lines, WORDS, WORLD.trees)
    return single_batches(list(found), "decoder", WORDS.pad_token_id, 300)


def by_hand(model):
    """Right predictions and instances by layer, head, relation and direction; words are one token each."""
    right, count = {}, {}
    for line, tree in zip(WORLD.lines, WORLD.trees, strict=True):
        with torch.no_grad():
            inputs = WORDS(line, return_tensors="pt", return_token_type_ids=False)
            maps = model(**inputs, output_attentions=True).attentions
        for layer, own in enumerate(maps, 1):
            for head, weights in enumerate(own[0, :, 1:-1, 1:-1], 1):
                for place, word in enumerate(tree.words):
                    before, after = weights[place, :place], weights[place + 1 :, place]
                    goals = {
                        "dependent-to-head": int(before.argmax()) if len(before) else None,
                        "head-to-dependent": place + 1 + int(after.argmax()) if len(after) else None,
                    }
                    for way, goal in goals.items():
                        key = (layer, head, f"{word.deprel}/{way}")
                        right[key] = right.get(key, 0) + (goal == word.head - 1 and word.head > 0)
                        count[key] = count.get(key, 0) + 1
    return {key: right[key] / count[key] for key in right}


def test_a_relation_into_the_future_is_never_found():
    model = causal_bert()
    model.set_attn_implementation("eager")
    expected, statistic = by_hand(model), Dependency()
    table = measure(model, batches(), [statistic])
    table = table[table["statistic"] == "dependency"]
    found = {(row.layer, row.head, row.key): row.value for row in table.itertuples()}
    shared = found.keys() & expected.keys()
    assert {key: found[key] for key in shared} == pytest.approx({key: expected[key] for key in shared})
    assert {value for key, value in found.items() if key[2] == "det/dependent-to-head"} == {0}
    assert max(value for key, value in found.items() if key[2] == "obj/dependent-to-head") > 0


def test_the_baseline_is_of_what_a_direction_sees():
    statistic = Dependency()
    for batch in batches():
        statistic.start(batch)
    up, down = (
        statistic.baseline(way).set_index("relation") for way in ("dependent-to-head", "head-to-dependent")
    )
    for relation in ("det", "obj", "nsubj", "amod", "advmod"):
        words = [(place, word) for tree in WORLD.trees for place, word in enumerate(tree.words)]
        offsets = [word.head - 1 - place for place, word in words if word.deprel == relation]
        assert up.loc[relation, "count"] == down.loc[relation, "count"] == len(offsets)
        before, after = ([each for each in offsets if each * sign > 0] for sign in (-1, 1))
        for table, seen in ((up, before), (down, after)):
            most = max((seen.count(each) for each in seen), default=0)
            assert table.loc[relation, "share"] == pytest.approx(most / len(offsets)), relation
    assert up.loc["det", "share"] == 0 < down.loc["det", "share"]


def test_functions_are_held_against_the_same_baseline():
    statistic = Syntactic(Relations())
    table = measure(causal_bert(), batches(), [statistic])
    ways = {"to-head": "dependent-to-head", "to-dependent": "head-to-dependent"}
    shares = {
        f"{row.relation}/{stored}": row.share
        for stored, way in ways.items()
        for row in statistic.baseline(way).itertuples()
    }
    offsets = [
        place - word.head + 1
        for tree in WORLD.trees
        for place, word in enumerate(tree.words)
        if word.deprel == "amod"
    ]
    # adjectives stand before their nouns: a head sees its dependent, not the other way
    assert max(offsets) < 0
    assert shares["amod/to-head"] == 0
    assert shares["amod/to-dependent"] == max(map(offsets.count, offsets)) / len(offsets)
    rows = label(table, Baselines({}, shares, {})).set_index("function")
    assert rows.loc["syntactic/amod/to-head", ["baseline", "score"]].eq(0).all(axis=None)


def test_no_antecedent_attends_to_its_anaphor():
    words = ["Ann", "saw", "dogs", "and", "she", "fed", "them", "."]
    mentions = [Mention(0, 1, 0, 0, "proper"), Mention(2, 3, 2, 1, "nominal")]
    mentions += [Mention(4, 5, 4, 0, "pronoun"), Mention(6, 7, 6, 1, "pronoun")]
    text = MentionText.of(Document("a text", words, tuple(mentions), [{} for _ in words]))
    tokenizer = word_tokenizer(words)
    for seed in range(5):
        torch.manual_seed(seed)
        config = tiny_bert(tokenizer, is_decoder=True).config
        model = BertModel(BertConfig.from_dict(config.to_dict()), add_pooling_layer=False).eval()
        table = measure(model, mention_batches([text], tokenizer, kind="decoder"), [Coreference()])
        rows = table.set_index("key")["value"]
        assert rows.filter(like="/from-antecedent/").eq(0).all()
        # "she" has two mentions before it, of which one is right: every head chooses between them
        chosen = rows["preceding-mentions/to-antecedent/all"] * 2
        assert set(chosen) <= {0, 1, 2}


def test_an_atlas_names_no_function_that_a_causal_head_cannot_have():
    model = tiny_bert(WORDS, is_decoder=True, max_position_embeddings=64)
    with torch.no_grad():
        for parameter in model.bert.encoder.parameters():
            parameter.mul_(0)  # even attention: the first word a head sees is no finding
    found = atlas(model, tokenizer=WORDS, settings=AtlasSettings(sentences=40, seed=1)).table
    keys = set(found["measure"])
    assert "det/head-to-dependent" in keys
    assert "det/dependent-to-head" not in keys  # no head can find one: nothing to measure
    # classes of tokens: the mean over texts of 1/n Σ_i #{j <= i of the class} / i
    for key, pieces in (("punctuation", (".", ",")), ("sep", ("[SEP]",))):
        shares = []
        for line in WORLD.lines:
            member = [piece in pieces for piece in WORDS.convert_ids_to_tokens(WORDS(line)["input_ids"])]
            shares.append(sum(sum(member[:i]) / i for i in range(1, len(member) + 1)) / len(member))
        rows = found[found["measure"] == key]
        expected = sum(shares) / len(shares)
        assert rows["baseline"].tolist() == pytest.approx([expected] * len(rows))
        assert rows["value"].tolist() == pytest.approx([expected] * len(rows))


def test_a_causal_encoder_has_causal_baselines():
    """The encoder of a language model (Voita et al. 2019b): its attention is named encoder, and is causal."""
    config = tiny_marian(WORDS, max_position_embeddings=64).config
    config.causal = True
    encoder = CausalMarianEncoder(config).eval()
    with torch.no_grad():
        for layer in encoder.layers:
            layer.self_attn.q_proj.weight.zero_()
            layer.self_attn.q_proj.bias.zero_()
    table = atlas(encoder, WORLD.lines, tokenizer=WORDS).table
    even = table[table["measure"].isin(["first", "last", "same-token", "previous", "next", "entropy"])]
    assert len(even)
    assert (even["value"] - even["baseline"]).abs().max() < 1e-5
