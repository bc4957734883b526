"""The English side of the miniature world: trees, annotation, discourse, and the figures a domain promises."""

from collections import Counter

import conllu
import pytest

from miniature_world.generate import generate
from miniature_world.sentence import WorldSentence, to_conllu
from miniature_world.transfer import translate

DOMAINS = ("news", "subtitles")
GENDER = {"he": "m", "she": "f"}


@pytest.fixture(scope="module", params=DOMAINS)
def sentences(request) -> list[WorldSentence]:
    return list(generate(request.param, 400, seed=5))


@pytest.fixture
def words(sentences):
    """Every word, with its sentence."""
    return [(sentence, word) for sentence in sentences for word in sentence.words]


def test_every_tree_has_one_root_no_cycle_and_no_crossing_edges(sentences):
    for sentence in sentences:
        words = sentence.words
        assert [word.index for word in words] == list(range(1, len(words) + 1))
        assert [word for word in words if word.head is None] == [sentence.root]
        assert sentence.root.relation == "root"
        for word in words:
            above = set()
            while word.head is not None:
                assert word.index not in above
                above.add(word.index)
                word = word.head
            assert word is sentence.root
        spans = [sorted((word.index, word.head.index)) for word in words if word.head is not None]
        assert not [(a, b) for a in spans for b in spans if a[0] < b[0] < a[1] < b[1]], sentence.text


def test_dependents_list_the_same_edges_in_order(words):
    for sentence, word in words:
        assert word.dependents == [other for other in sentence.words if other.head is word]


def test_conllu_is_read_back_by_the_conllu_package(sentences):
    block = "\n".join(to_conllu(sentence) for sentence in sentences[:100]) + "\n"
    parsed = conllu.parse(block)
    assert len(parsed) == 100
    for sentence, tokens in zip(sentences, parsed, strict=False):
        assert tokens.metadata["sent_id"] == sentence.identifier
        assert tokens.metadata["text"] == sentence.text == " ".join(token["form"] for token in tokens)
        assert ("newpar" in tokens.metadata) == (sentence.number == 1)
        assert tokens.to_tree().token["deprel"] == "root"
        for word, token in zip(sentence.words, tokens, strict=True):
            assert token["upos"] == word.form.upos
            assert token["lemma"] == word.form.lemma
            assert token["head"] == (word.head.index if word.head else 0)


def test_universal_features_are_sorted_and_tags_known(words):
    for _, word in words:
        names = [feature.split("=")[0] for feature in word.form.feats.split("|")]
        assert names == sorted(names, key=str.lower)
        assert word.form.xpos.isupper() or word.form.upos == "PUNCT"


@pytest.mark.parametrize("column", ["chunk", "name"])
def test_chunks_and_entities_begin_before_they_go_on(sentences, column):
    for sentence in sentences:
        before = ""
        for word in sentence.words:
            tag = getattr(word, column)
            if tag.startswith("I-"):
                assert before[2:] == tag[2:], sentence.text
            before = tag


def test_every_name_is_an_entity(words):
    assert all(word.name or word.form.upos != "PROPN" for _, word in words)


def test_roles_name_verbs_of_the_sentence_and_agree_with_the_relations(words):
    active = {"nsubj": "A0", "nsubj:pass": "A1", "obj": "A1", "iobj": "A2"}
    checked = Counter()
    for sentence, word in words:
        for role, predicate in word.roles:
            assert sentence.words[predicate.index - 1] is predicate
            assert predicate.form.upos == "VERB"
            if predicate is word.head and word.relation in active:
                assert role.removeprefix("R-") == active[word.relation], sentence.text
                checked[word.relation] += 1
    assert min(checked["nsubj"], checked["obj"]) > 50


def test_verbs_seek_as_many_arguments_as_they_have(words):
    for sentence, word in words:
        assert word.category
        assert word.category.count("(") == word.category.count(")")
        if word.form.upos == "VERB":
            complements = [each.relation in ("obj", "iobj", "xcomp", "ccomp") for each in word.dependents]
            assert _arguments(word.category) == 1 + sum(complements), (sentence.text, word.category)
        if word.relation == "amod":
            assert word.category == "N/N"


def _arguments(category: str) -> int:
    """Slashes outside brackets, brackets around the result opened: how many arguments a category seeks."""
    depth = found = 0
    while category.startswith("("):
        ends = (category[: i + 1] for i in range(len(category)))
        closing = len(next(part for part in ends if part.count("(") == part.count(")"))) - 1
        found += category[closing + 1 :].replace("[", "(").count("/") > 0
        category = category[1:closing]
    for letter in category:
        depth += (letter in "([") - (letter in ")]")
        found += letter in "/\\" and depth == 0
    return found


def test_senses_follow_the_lexicon_and_ambiguous_words_occur(words):
    senses: dict[str, set[str]] = {}
    for _, word in words:
        if word.lexeme.ambiguous:
            senses.setdefault(word.form.lemma, set()).add(word.lexeme.sense_key)
    assert sum(len(found) > 1 for found in senses.values()) > 3


def test_pronouns_agree_with_what_they_refer_to(words):
    within = Counter()
    for _, word in words:
        if word.form.xpos != "PRP" or word.entity is None:
            continue
        lemma, antecedent = word.form.lemma, word.antecedent
        assert word.number == ("pl" if antecedent is not None and lemma == "they" else word.form.number)
        if lemma in GENDER:
            assert word.entity.natural == GENDER[lemma]
            assert word.entity.group == "human"
        elif lemma == "it":
            assert word.entity.group != "human"
        if antecedent is not None:
            assert antecedent.index < word.index
            assert antecedent.entity is word.entity
        within[antecedent is not None] += 1
    assert min(within[True], within[False]) > 0


def test_finite_verbs_agree_with_their_subject(words):
    for sentence, word in words:
        if word.form.xpos == "VBZ" and word.relation != "conj":
            subject = (word if word.form.upos == "VERB" else word.head).subject
            assert subject is not None, sentence.text
            assert (subject.number, subject.form.person) == ("sg", 3), sentence.text


def test_an_stands_before_vowels(sentences):
    seen = Counter()
    for sentence in sentences:
        for article, following in zip(sentence.tokens, sentence.tokens[1:], strict=False):
            if article in ("a", "an"):
                seen[article] += 1
                vowel = following[0].lower() in "aeiou" and following not in ("university", "useful")
                assert (article == "an") == (vowel or following == "honest"), sentence.text
    assert min(seen.values()) >= 2


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_same_seed_gives_the_same_stream_and_more_only_goes_on(domain):
    few, more, other = (
        [to_conllu(sentence) for sentence in generate(domain, number, seed)]
        for number, seed in ((120, 3), (300, 3), (120, 4))
    )
    assert more[:120] == few
    assert len(more) == 300
    assert other != few


def test_two_streams_at_once_do_not_disturb_each_other():
    alone = [sentence.text for sentence in generate("news", 50, seed=3)]
    first, second = generate("news", 50, seed=3), generate("subtitles", 50, seed=3)
    assert [a.text for a, _ in zip(first, second, strict=True)] == alone


@pytest.mark.parametrize("domain", DOMAINS)
def test_one_english_sentence_has_one_reading(domain):
    readings: dict[str, tuple] = {}
    for sentence in generate(domain, 1200, seed=9):
        tree = [
            (w.form.columns, w.head and w.head.index, w.relation, w.category, w.chunk, w.name)
            for w in sentence.words
        ]
        senses = [word.lexeme.sense_key for word in sentence.words]
        said = [translate(sentence, language)[0] for language in ("karvan", "velder", "lorine")]
        reading = (tree, senses, said)
        assert readings.setdefault(sentence.text, reading) == reading, sentence.text


def test_domains_differ_as_the_papers_do():
    mean, persons = {}, {}
    for domain in DOMAINS:
        sentences = list(generate(domain, 1000, seed=2))
        mean[domain] = sum(len(sentence.words) for sentence in sentences) / 1000
        subjects = Counter(
            word.form.person
            for sentence in sentences
            for word in sentence.words
            if word.relation == "nsubj" and not word.lexeme.group.startswith("relative")
        )
        persons[domain] = {person: count / subjects.total() for person, count in subjects.items()}
    assert 11 <= mean["news"] <= 20
    assert 6 <= mean["subtitles"] <= 9.5
    assert mean["news"] > 1.5 * mean["subtitles"]
    assert persons["news"][3] == pytest.approx(0.91, abs=0.08)
    assert persons["subtitles"][1] == pytest.approx(0.32, abs=0.08)
    assert persons["subtitles"][2] == pytest.approx(0.21, abs=0.08)


def test_paragraphs_hold_several_sentences(sentences):
    sizes = Counter(sentence.paragraph for sentence in sentences)
    assert min(size for paragraph, size in sizes.items() if paragraph < max(sizes)) >= 3
    assert max(sizes.values()) <= 8
