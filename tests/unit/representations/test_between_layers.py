"""What happens between layers: groups of tokens, change, influence, neighbours, tags, models compared."""

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.lens.layers import Layers
from headwork.lens.lens import Lens
from headwork.representations.distances.change import changes
from headwork.representations.distances.influence import Sentences, allowed, choose, influences, without
from headwork.representations.distances.jackknife import WITHOUT
from headwork.representations.distances.layer_distances import layer_distances
from headwork.representations.distances.pwcca import pwcca
from headwork.representations.information.preservation import by_chance, mean_distance, parts, preserved
from headwork.representations.jobs.evolution import evolution_run, layers_information
from headwork.representations.projections.vectors import token_projections
from headwork.representations.states.analysed_text import read_tags, words_table
from headwork.representations.states.hidden_states import States, extract, extract_run, frequent
from headwork.representations.states.token_groups import drawn, frequency_ranks, groups_of, tokens_table
from headwork.run.frame import Files
from headwork.settings.representations import (
    Evolution,
    InformationEstimate,
    LayerDistances,
    Preservation,
    StatesOnDisk,
    TokenGroups,
    TokenProjections,
)
from headwork.sites import Site

WORDS = [f"w{number}" for number in range(12)]


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer(WORDS)


@pytest.fixture(scope="module")
def lines():
    chance = np.random.default_rng(0)
    return [" ".join(chance.choice(WORDS, 9, p=[0.3, *[0.7 / 11] * 11])) for _ in range(60)]


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny_bert(tokenizer)


@pytest.fixture(scope="module")
def states(model, tokenizer, lines, tmp_path_factory):
    folder = tmp_path_factory.mktemp("states") / "own"
    extract(model, tokenizer, lines, folder, StatesOnDisk(tokens=200, shard_tokens=100))
    return States(folder)


@pytest.fixture(scope="module")
def words(lines):
    """Each word's part of speech is its number's parity; its tag is its right neighbour's."""
    rows = []
    for sentence, line in enumerate(lines):
        forms = line.split()
        for place, form in enumerate(forms):
            after = forms[place + 1] if place + 1 < len(forms) else "w0"
            tag = "N" if int(after[1:]) % 2 else "(S\\NP)/NP"
            rows.append((sentence, place, form, "AB"[int(form[1:]) % 2], tag))
    return pd.DataFrame(rows, columns=["sentence", "word", "form", "pos", "tag"])


@pytest.fixture(scope="module")
def tokens(states, words, tokenizer, lines):
    return tokens_table(states.index, words, frequency_ranks(lines, tokenizer))


def test_the_table_of_tokens_knows_neighbours_and_ranks(tokens, lines, tokenizer):
    first = tokens[tokens["sentence"] == 0]
    ids = tokenizer(lines[0])["input_ids"]
    assert first["piece"].tolist() == ids[1:-1]
    assert first["left"].tolist() == ids[:-2]
    assert first["right"].tolist() == ids[2:]
    assert (tokens.loc[tokens["form"] == "w0", "rank"] == 1).all()
    counts = tokens.drop_duplicates("piece").set_index("form")["rank"]
    often = tokens["form"].value_counts()
    assert (often[counts.sort_values().index].diff().dropna() <= 0).all()


def test_words_of_another_text_are_refused(states, words):
    with pytest.raises(InputError, match="the words of sentence 60 are not those of the text"):
        tokens_table(states.index, words[words["sentence"] < 59])


def test_groups_by_rank_and_part_of_speech(tokens):
    groups = groups_of(tokens, TokenGroups(ranks=(1, 3, 8, 40), pos=("A", "B"), tokens=5))
    assert list(groups) == [("rank", "1-3"), ("rank", "3-8"), ("rank", "8-40"), ("pos", "A"), ("pos", "B")]
    ranks = tokens.set_index("row")["rank"]
    assert set(ranks[groups["rank", "1-3"]]) <= {1, 2, 3}
    assert set(ranks[groups["rank", "3-8"]]) <= {4, 5, 6, 7, 8}
    assert sum(len(rows) for (kind, _), rows in groups.items() if kind == "rank") == len(tokens)


def test_the_most_frequent_pieces_are_no_special_ones():
    counts, special = np.array([99, 5, 7, 0, 7]), np.array([True, False, False, False, False])
    assert frequent(counts, 2, special).tolist() == [2, 4]
    assert frequent(counts, 9, special).tolist() == [2, 4, 1]


def test_change_is_pwcca_between_a_layers_input_and_output(states, tokens):
    groups = groups_of(tokens, TokenGroups(ranks=(1, 40), pos=("A",), tokens=100))
    table = changes(states, groups, 100, seed=3)
    rows = drawn(groups["rank", "1-40"], 100, 3)
    expected = pwcca(states.tensor(1, rows), states.tensor(2, rows)).distance
    found = table[(table["statistic"] == "change/rank") & (table["layer"] == 2)]
    assert found["value"].item() == pytest.approx(expected)
    assert (table["n"] == 100).all()
    assert (table["control"] > table["value"]).all()
    kept = rows[
        states.index["sentence"].to_numpy()[rows] // 6 != 2
    ]  # of 60 sentences the third tenth is left out
    expected = pwcca(states.tensor(1, kept), states.tensor(2, kept)).distance
    assert found["without-3"].item() == pytest.approx(expected)


def test_groups_with_too_few_tokens_are_refused_with_the_numbers(states, tokens):
    few = {("pos", "rare"): tokens["row"].to_numpy()[:10], ("pos", "some"): tokens["row"].to_numpy()[:50]}
    table = changes(states, few, 100).drop_duplicates("key").set_index("key")
    assert table["value"].isna().all()
    assert table.loc["rare", "note"] == "10 tokens, not 100 and 16 dimensions"
    assert table.loc["some", "note"] == "50 tokens, not 100 as every group has"
    with pytest.raises(InputError, match="16 tokens a group for 16 dimensions"):
        changes(states, few, 16)


class FewTypes(States):
    """300 tokens of 3 types: 3 different embeddings, and layers in which every token is another one."""

    def __init__(self):
        self.layers, self.dimensions = 2, 16
        self.index = pd.DataFrame({"sentence": np.arange(300)})
        chance = torch.Generator().manual_seed(0)
        types, inner = torch.randn(3, 16, generator=chance), torch.randn(300, 16, generator=chance)
        self.all = types.repeat(100, 1), inner, inner + torch.randn(300, 16, generator=chance)

    def tensor(self, layer, rows):
        return self.all[layer][rows]


def test_the_variant_of_2019_has_no_change_of_embeddings_that_are_too_few():
    table = changes(FewTypes(), {("rank", "1-10"): np.arange(300)}, 200, "google_compat").set_index("layer")
    assert np.isnan(table.loc[1, "value"])
    assert "vectors of full rank" in table.loc[1, "note"]
    assert 0 < table.loc[2, "value"] < table.loc[2, "control"]
    assert table.loc[2, "note"] == ""
    assert changes(FewTypes(), {("rank", "1-10"): np.arange(300)}, 200)["value"].notna().all()


def encoded_without(model, tokenizer, line, place, layer):
    """What layer `layer` gives if the sentence is read anew with the piece at `place` hidden from all others there."""
    batch = tokenizer(line, return_tensors="pt")
    time = batch["input_ids"].shape[1]
    seen = torch.ones(1, 1, time, time, dtype=torch.bool)
    seen[..., place] = False
    seen[..., place, place] = True
    with Lens(model) as lens, lens.masking({Site("encoder", layer): seen}), torch.inference_mode():
        return model(**batch, output_hidden_states=True).hidden_states[layer][0]


@pytest.mark.parametrize("layer", [1, 2])
def test_influence_is_what_reading_the_sentence_anew_gives(states, model, tokenizer, lines, layer):
    sentences, layers = Sentences(states), Layers(model.base_model)
    members = states.index.index[states.index["piece"] == 5].to_numpy()
    chosen, count = choose(sentences, members, 80, seed=0)
    assert count == chosen.compared.sum() == 80
    assert len(set(sentences.of[chosen.masked])) == len(chosen.masked)
    found = {}
    for rows, vectors in without(layers, layer, states, sentences, chosen, 40):
        found.update(zip(rows.tolist(), vectors, strict=True))
    assert sorted(found) == np.flatnonzero(chosen.compared).tolist()
    for masked in chosen.masked[:5]:
        sentence = sentences.of[masked]
        start = sentences.start[sentence]
        expected = encoded_without(model, tokenizer, lines[sentence], masked - start, layer)
        for row in np.flatnonzero(chosen.compared & (sentences.of == sentence)):
            assert found[row] == pytest.approx(expected[row - start], abs=1e-5)
            assert row != masked


def test_a_token_that_nobody_attends_to_has_no_influence(states, tokenizer, lines, tmp_path):
    model = tiny_bert(tokenizer)
    for layer in model.bert.encoder.layer:
        layer.attention.self.value.weight.data.zero_()
    extract(model, tokenizer, lines, tmp_path / "states")
    blind = States(tmp_path / "states")
    groups = {("rank", "all"): np.flatnonzero(blind.index["word"] >= 0)}
    table = influences(Layers(model.base_model), blind, groups, 200)
    assert table["value"].to_numpy() == pytest.approx(0, abs=1e-6)
    usual = influences(Layers(tiny_bert(tokenizer).base_model), states, groups, 200)
    assert (usual["value"] > 10 * table["value"].abs().max()).all()


def test_which_keys_stay(tokenizer):
    present = torch.tensor([[True, True, True, False]])
    found = allowed(present, torch.tensor([1]), causal=False)[0]
    assert found.int().tolist() == [[1, 0, 1, 0], [1, 1, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]]
    found = allowed(present, torch.tensor([0]), causal=True)[0]
    assert found.int().tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("category", "left", "right"),
    [
        ("N", "", ""),
        ("N/N", "", "N"),
        ("(S[dcl]\\NP)/NP", "NP", "NP"),
        ("((S\\NP)\\(S\\NP))/NP", "NP (S\\NP)", "NP"),
        ("(S[b]\\NP)/(S[pss]\\NP)", "NP", "(S[pss]\\NP)"),
        ("((S[dcl]\\NP)/PP)/NP", "NP", "PP NP"),
        (",", "", ""),
        ("NP[nb]/N", "", "N"),
    ],
)
def test_the_parts_of_a_category(category, left, right):
    assert parts(category) == (left, right)


def test_a_category_whose_brackets_do_not_match():
    with pytest.raises(InputError, match="brackets of the category"):
        parts("(S\\NP/NP")


def test_controls_are_those_of_pairs_drawn_by_chance():
    labels = torch.tensor([0, 0, 1, 2, 2, 2])
    pairs = [(a, b) for a in range(6) for b in range(6) if a != b]
    assert by_chance(labels) == pytest.approx(np.mean([labels[a] == labels[b] for a, b in pairs]))
    places = torch.tensor([3, 1, 4, 1, 5, 9])
    expected = np.mean([abs(int(places[a] - places[b])) for a, b in pairs])
    assert mean_distance(places) == pytest.approx(expected)


def test_what_is_planted_is_preserved_and_what_is_shuffled_is_not(states, tokens):
    settings = Preservation(
        neighbours=3, identity_types=12, identity_occurrences=20, types=12, occurrences=20, clearest=0.95
    )

    class Planted(States):
        """States that know nothing but a token's right neighbour."""

        def __init__(self):
            self.layers, self.dimensions = 1, 16
            self.index = states.index

        def tensor(self, layer, rows):
            right = tokens.set_index("row")["right"][rows].to_numpy()
            return torch.nn.functional.one_hot(torch.from_numpy(right.copy()).long(), 32).float()

    found = preserved(Planted(), tokens, settings).set_index(["statistic", "key"])
    # the same without each tenth of the text, and all by chance or all alike nowhere
    without = found.loc[[("right", "same"), ("tag", "same")], list(WITHOUT)]
    assert without.to_numpy() == pytest.approx(
        np.repeat(found.loc[without.index, ["value"]].to_numpy(), 10, axis=1), abs=0.1
    )
    assert without.nunique(axis=1).min() > 5
    assert found.loc[("right", "same"), "value"] > 3 * found.loc[("right", "same"), "control"]
    # the tag hangs on the right neighbour
    assert found.loc[("tag", "same"), "value"] > found.loc[("tag", "same"), "control"] + 0.15
    assert found.loc[("left", "same"), "value"] == pytest.approx(
        found.loc[("left", "same"), "control"], abs=0.1
    )
    assert found.loc[("identity", "same"), "value"] < 0.3
    real = preserved(states, tokens, settings)
    assert set(real["layer"]) == {1, 2}
    # the vectors of a random BERT are still those of their words
    assert real[(real["statistic"] == "identity")]["value"].min() > 0.6


def test_types_that_do_not_occur_often_enough(states, tokens):
    with pytest.raises(InputError, match=r"no type has 900 occurrences, the most frequent 1\d\d"):
        preserved(states, tokens, Preservation(identity_occurrences=900, occurrences=900))


def test_information_of_the_embeddings_is_all_there_is_and_shuffled_types_have_little(states, tokens):
    settings = InformationEstimate(types=8, clusters=12, tokens=300)
    table = layers_information(states, tokens, {"input": tokens["piece"]}, "whole", settings)
    assert table["layer"].tolist() == [0, 1, 2]
    assert (table["n"] == 300).all()
    entropy = float(table["note"].iloc[0].removeprefix("entropy "))
    assert entropy < np.log(8)
    assert 0.5 * entropy < table["value"].iloc[0] <= entropy + 1e-4
    assert (table["control"] < 0.35).all()
    much = settings.model_copy(update={"tokens": 10_000})
    with pytest.raises(
        InputError, match=r"tokens of the 8 most frequent types to estimate input from \(whole text\)"
    ):
        layers_information(states, tokens, {"input": tokens["piece"]}, "whole", much)


def test_the_mask_is_no_token_that_is_read(states, model, tokenizer, lines, words, tmp_path):
    """Half of the chosen tokens are masked, the others are of 12 types drawn evenly: their entropy is ln 12."""
    folder, text, annotated = tmp_path / "model", tmp_path / "text.txt", tmp_path / "words.parquet"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    text.write_text("".join(f"{line}\n" for line in lines))
    words.to_parquet(annotated)
    reading = {"types": 12, "share": 0.5, "mask": 0.5, "random": 0.5, "passes": 4}
    extract_run(
        Files(model=folder, text=text), Files(states=tmp_path / "masked"), StatesOnDisk(), masked=reading
    )
    settings = {
        "information": {"types": 12, "clusters": 20, "tokens": 400},
        "groups": {"ranks": [1, 40], "pos": ["A"], "tokens": 50},
        "preservation": {"neighbours": 3, "identity_occurrences": 20, "occurrences": 20},
    }
    given = Files(
        model=folder, states=states.folder, masked=tmp_path / "masked", words=annotated, train_text=text
    )
    out = Files(table=tmp_path / "table.csv", points=tmp_path / "points.csv")
    evolution_run(given, out, Evolution.read(settings, "evolution"))
    found = pd.read_csv(out.table)
    found = found[found["key"] == "masked"].set_index(["statistic", "layer"])
    entropy = found["note"].str.removeprefix("entropy ").astype(float)
    assert entropy["information/input", 0] == pytest.approx(np.log(12), abs=0.03)
    # what stood there is not drawn evenly: three in ten are w0
    assert entropy["information/output", 0] < 2.4
    assert (found["n"] == 400).all()


def test_models_are_compared_over_the_same_words(states, model, tokenizer, lines, tmp_path):
    extract(model, tokenizer, lines[:40], tmp_path / "fewer")
    fewer = States(tmp_path / "fewer")
    settings = LayerDistances(tokens=300)
    table = layer_distances({"a": states, "b": fewer}, [("a", "b")], settings)
    between = table[table["statistic"] == "between"]
    assert between["value"].to_numpy() == pytest.approx(0, abs=1e-6)  # one model, twice
    layers = table[table["statistic"] == "layers"]
    assert layers["layer"].tolist() == [1, 1, 2, 2]
    assert (layers["value"] > 0).all()
    assert (table["control"] > 0.5).all()
    with pytest.raises(InputError, match="360 words are a single token in all models, fewer than 400"):
        layer_distances({"a": states, "b": fewer}, [("a", "b")], LayerDistances(tokens=400))


def test_points_of_each_layer(states, tokens):
    settings = TokenProjections(forms=("w1", "w2"), position="w0", tags="nowhere", points=30)
    table = token_projections(states, tokens, settings)
    counts = table.groupby(["shows", "layer"]).size()
    assert counts.to_dict() == {("forms", 1): 30, ("forms", 2): 30, ("position", 1): 30, ("position", 2): 30}
    assert set(table["form"]) == {"w0", "w1", "w2"}
    assert table[["x", "y"]].notna().all(axis=None)


SENTENCES = [["the", "cat"], ["it", "is"]]
TAGS = "the\tNP/N\ncat\tN\n\nit\tNP\nis\t(S\\NP)/NP\n"


def test_tags_from_a_file(tmp_path):
    path = tmp_path / "tags.tsv"
    path.write_text(TAGS)
    assert read_tags(path, SENTENCES) == ["NP/N", "N", "NP", "(S\\NP)/NP"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cat\tN", "dog\tN", r"tags.tsv:2: the token is 'dog', but in the text sentence 1 has 'cat' here"),
        ("cat\tN\n", "cat\n", r"tags.tsv:2: 'cat' has no tag"),
        ("cat\tN\n", "", r"tags.tsv:2: sentence 1 ends here, but in the text the word 'cat' follows"),
        ("N\n\n", "N\n", r"tags.tsv:3: 'it\\tNP' follows, but in the text sentence 1 is over"),
        ("is\t(S\\NP)/NP\n", "", r"tags.tsv: the file ends before sentence 2 of the text"),
    ],
)
def test_a_tag_file_that_does_not_align(tmp_path, old, new, message):
    path = tmp_path / "tags.tsv"
    path.write_text(TAGS.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_tags(path, SENTENCES)


def test_trees_of_another_text(tmp_path):
    with pytest.raises(InputError, match="has no tree of sentence 1, 'the cat'"):
        words_table(SENTENCES, [], "trees.conllu")
