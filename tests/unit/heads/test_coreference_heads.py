"""Planted coreference heads are found; rules are counted by hand; mentions that make no sense are refused."""

import math
from itertools import islice

import pytest
import torch
from hand_made import table_of
from tiny_bert import tiny_bert, word_tokenizer

from headwork.corpora.annotated.coreference import Document, Mention, read_gap
from headwork.errors import InputError
from headwork.heads.coreference.antecedent_heads import Coreference, mention_batches, shortened
from headwork.heads.coreference.antecedents import CANDIDATES, MentionText, anaphors, candidates, rules
from headwork.heads.streaming.batches import single_batch
from headwork.heads.streaming.measure import measure
from headwork.parses.conllu import Sentence, Word

WORDS = ["Ann", "saw", "the", "dogs", ".", "She", "fed", "the", "old", "dogs", "and", "they", "ate", "."]
WORDS += ["The", "bowl", "she", "left"]
ANN, DOGS, BOWL = 0, 1, 2
MENTIONS = [
    Mention(0, 1, 0, ANN, "proper"),
    Mention(2, 4, 3, DOGS, "nominal"),
    Mention(5, 6, 5, ANN, "pronoun"),
    Mention(7, 10, 9, DOGS, "nominal"),
    Mention(11, 12, 11, DOGS, "pronoun"),
    Mention(14, 16, 15, BOWL, "nominal"),
    Mention(16, 17, 16, ANN, "pronoun"),
]


def text_of(words, mentions, features=None):
    return MentionText.of(Document("a text", words, tuple(mentions), features or [{} for _ in words]))


@pytest.fixture
def document():
    return text_of(WORDS, MENTIONS)


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer(dict.fromkeys(WORDS))


def shown(maps, batch):
    return table_of(Coreference(), maps, batch)


def hits_of(table):
    rows = table.set_index(["head", "key"])
    return rows["value"] * rows["count"]


def test_anaphors_are_mentions_with_an_earlier_one(document):
    found = {each.mention.head: set(each.antecedents) for each in anaphors(document)}
    assert found == {5: {0}, 9: {3}, 11: {3, 9}, 16: {0, 5}}


def test_candidates(document):
    she = next(each for each in anaphors(document) if each.mention.head == 9)
    assert candidates(document, she, "preceding-mentions") == [0, 3, 5]
    assert candidates(document, she, "other-mentions") == [0, 3, 5, 11, 15, 16]
    assert candidates(document, she, "any-word") == [word for word in range(len(WORDS)) if word != 9]


def test_a_rule_that_chooses_no_mention_has_no_accuracy():
    """Two names and a pronoun, as in GAP: no other mention has the same head word."""
    found = rules([text_of(WORDS, [MENTIONS[0], MENTIONS[1], MENTIONS[2]])]).set_index(
        ["rule", "candidates", "kind"]
    )
    found = found["accuracy"]
    assert math.isnan(found["head-match", "preceding-mentions", "all"])
    assert math.isnan(found["head-match", "preceding-mentions", "pronoun"])
    # she -> dogs is nearest, Ann is right
    assert found["nearest", "preceding-mentions", "all"] == 0


def test_rules_by_hand(document):
    found = rules([document]).set_index(["rule", "candidates", "kind"])["accuracy"]
    before = found.xs("preceding-mentions", level="candidates")
    # nearest before: She -> dogs (3), dogs -> She, they -> dogs, she -> bowl
    assert before["nearest", "all"] == 1 / 4
    # the same head word: She has none, dogs -> dogs, they has none, she -> She
    assert before["head-match", "all"] == 2 / 4
    assert before["head-match", "nominal"] == 1
    # agreement: She -> dogs, for it is not known that they are many; they -> dogs; she -> She by its words
    assert before["sieves", "nominal"] == 1
    assert before["sieves", "pronoun"] == pytest.approx(2 / 3)
    assert before["random", "all"] == pytest.approx((1 / 2 + 1 / 3 + 2 / 4 + 2 / 6) / 4)
    assert found["random", "any-word", "nominal"] == pytest.approx(1 / (len(WORDS) - 1))
    assert ("nearest", "any-word", "all") not in found.index
    # among all others: She -> dogs, they -> dogs, she -> bowl
    assert found["nearest", "other-mentions", "pronoun"] == pytest.approx(1 / 3)


def test_sieves_know_number_and_gender_from_features():
    features = [{} for _ in WORDS]
    features[3], features[15] = {"Number": "Plur"}, {"Number": "Sing", "Gender": "Neut"}
    features[0] = {"Number": "Sing", "Gender": "Fem"}
    found = rules([text_of(WORDS, MENTIONS, features)]).set_index(["rule", "candidates", "kind"])["accuracy"]
    assert found["sieves", "preceding-mentions", "all"] == 1


def test_planted_heads_are_found(document, tokenizer):
    """One head from anaphor to antecedent, one back, one evenly; [SEP] and the word itself get more still."""
    batch = mention_batches([document], tokenizer)[0]
    size = len(WORDS) + 2
    maps = torch.full((1, 3, size, size), 0.01)
    for each in anaphors(document):
        first = min(each.antecedents)
        maps[0, 0, each.mention.head + 1, first + 1] += 1
        maps[0, 1, first + 1, each.mention.head + 1] += 1
    maps[..., 0] += 5
    maps += 5 * torch.eye(size)
    table = shown(maps, batch)
    found = table.set_index(["head", "key"])
    for setting in CANDIDATES:
        assert found.loc[(1, f"{setting}/to-antecedent/all")].tolist()[-2:] == [1, 4]
        assert found.loc[(2, f"{setting}/from-antecedent/pronoun")].tolist()[-2:] == [1, 3]
        assert found.loc[(3, f"{setting}/to-antecedent/nominal"), "count"] == 1
    # even attention takes the first candidate, Ann, who is right for She and she
    assert found.loc[(3, "other-mentions/to-antecedent/all"), "value"] == 2 / 4
    # nobody is named again
    assert not table["key"].str.endswith("/proper").any()


def test_documents_of_one_batch_do_not_mix(document, tokenizer):
    other = text_of(WORDS[:7], MENTIONS[:3])
    batch = mention_batches([document, other], tokenizer)[0]
    assert [len(each) for each in batch.queries["encoder"].sentences] == [7, len(WORDS)]
    size = len(WORDS) + 2
    maps = torch.rand(2, 4, size, size, generator=torch.manual_seed(0))
    maps[0, :, :, 9:] = 0
    together = shown(maps, batch)
    alone = [
        shown(maps[:1, :, :9, :9], mention_batches([other], tokenizer)[0]),
        shown(maps[1:], mention_batches([document], tokenizer)[0]),
    ]
    expected = hits_of(alone[0]).add(hits_of(alone[1]), fill_value=0)
    assert hits_of(together).round(6).to_dict() == expected.round(6).to_dict()


def test_long_documents_are_cut_at_a_word(document, tokenizer):
    whole = Document("a text", WORDS, tuple(MENTIONS), [{} for _ in WORDS])
    side = mention_batches(shortened([whole], tokenizer, longest=12), tokenizer)[0].queries["encoder"]
    assert side.ids.shape[1] == 12
    (cut,) = side.sentences
    assert cut.forms == WORDS[:10]
    assert [each.head for each in cut.mentions] == [0, 3, 5, 9]
    assert shortened([whole], tokenizer)[0] == document
    assert shortened([whole], tokenizer, longest=2) == []


def test_an_untrained_model_finds_no_antecedents(tokenizer):
    """Forty mentions of four entities: right by chance a quarter of the time, and of no head much more."""
    generator = torch.manual_seed(0)
    documents = []
    for _ in range(60):
        entities = torch.randint(0, 4, (12,), generator=generator).tolist()
        words = torch.randint(0, len(WORDS), (24,), generator=generator).tolist()
        mentions = [Mention(2 * n, 2 * n + 1, 2 * n, entity, "nominal") for n, entity in enumerate(entities)]
        documents.append(text_of([WORDS[word] for word in words], mentions))
    model = tiny_bert(tokenizer, hidden_size=32, num_attention_heads=4).base_model
    table = measure(model, mention_batches(documents, tokenizer), [Coreference()])
    found = table[table["key"].str.startswith("preceding-mentions") & table["key"].str.endswith("all")]
    chance = rules(documents).set_index(["rule", "candidates", "kind"])["accuracy"]
    assert (found["value"] - chance["random", "preceding-mentions", "all"]).abs().max() < 0.15


def test_texts_without_mentions_have_no_rows(tokenizer):
    nothing = mention_batches([text_of(WORDS, [])], tokenizer)[0]
    plain = Sentence([Word(word) for word in WORDS])
    side = nothing.queries["encoder"]
    trees = single_batch(type(side)(side.ids, side.present, side.real, side.words, (plain,)), "encoder")
    for batch in (nothing, trees):
        assert shown(torch.full((1, 2, *side.ids.shape[1:] * 2), 0.1), batch).empty


@pytest.mark.parametrize(
    ("mention", "message"),
    [
        (Mention(2, 2, 2, 0, "proper"), "must lie within the 18 words"),
        (Mention(2, 4, 4, 0, "proper"), "must lie within the 18 words"),
        (Mention(17, 19, 17, 0, "proper"), "must lie within the 18 words"),
        (Mention(2, 4, 3, 0, "name"), "its kind must be pronoun, proper, nominal"),
    ],
)
def test_mentions_that_make_no_sense(mention, message):
    with pytest.raises(InputError, match=message):
        text_of(WORDS, [mention])


def test_gap(real_data, tokenizer):
    """In GAP a pronoun's antecedent is one of two names: the nearest name before it is right more often than chance."""
    texts = shortened(islice(read_gap(real_data / "coref" / "gap" / "gap-validation.tsv.gz"), 200), tokenizer)
    found = rules(texts).set_index(["rule", "candidates", "kind"])
    pronouns = found.xs(("preceding-mentions", "pronoun"), level=("candidates", "kind"))
    assert pronouns["count"].min() > 80
    assert pronouns.loc["random", "accuracy"] < pronouns.loc["sieves", "accuracy"] < 1
