"""Every measure is complete, its baseline is what uniform attention gives; a new one is in tables and on the page."""

from dataclasses import replace
from types import ModuleType
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from transformers import GPT2Config, GPT2LMHeadModel

import headwork
from headwork import measures
from headwork.head_atlas import reading, texts
from headwork.head_atlas.measures import SETTINGS
from headwork.head_atlas.page import data
from headwork.heads import measures as of_heads
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.jobs.segment_heads import batches_of_text, heads_on_segments
from headwork.heads.jobs.translation_heads import heads_of
from headwork.heads.measure import ATTENTION, GROUPS, PASSES, WHERE, Measure, Row, chance
from headwork.heads.statistics.surface import uniform
from headwork.heads.streaming.tally import Tally, rates
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.pruning.measures import COMPARED
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.prediction_pass import PredictionPass
from headwork.relevance.propagation.attn_lrp import RELEVANCE
from headwork.relevance.subjects import LanguageSubject, as_given
from headwork.settings.atlas import AtlasSettings
from headwork.settings.base import Settings
from headwork.settings.heads import HeadSettings, SegmentRunSettings, TaskRunSettings, WordRunSettings
from headwork.settings.pruning import MeasureSettings
from headwork.settings.studies import Item
from headwork.sites import KINDS, Site
from headwork.studies import claim_tests, item, judging
from headwork.studies.rows import NotMeasured, of_statistic
from headwork.studies.selection import Selection, Untestable

MATERIAL = texts.world(40, seed=1)
SMALL = AtlasSettings(sentences=40, gradients=2, removed=2, shown=1)
TABLES = {"heads": HeadSettings, "segments": SegmentRunSettings}
TABLES |= {"tasks": TaskRunSettings, "words": WordRunSettings}


@pytest.fixture(scope="module")
def words():
    return word_tokenizer(sorted({word for line in MATERIAL.lines for word in line.split(" ")}))


# declarations


@pytest.mark.parametrize("measure", measures.MEASURES, ids=lambda measure: measure.key)
def test_every_measure_says_what_it_is(measure):
    assert measure.name
    assert measure.says.endswith(".")
    assert measure.source
    assert measure.group in GROUPS
    assert measure.rides_on in PASSES
    assert callable(measure.made_by)
    assert (measure.value is None) == (measure.rides_on != ATTENTION)
    if measure.threshold is not None:  # a function needs words, and a baseline to stand clear of
        assert measure.does
        assert measure.uniform or measure.of_key


def test_keys_and_names_are_unique():
    for field in ("key", "name", "says"):
        found = [getattr(each, field) for each in measures.MEASURES]
        assert len(set(found)) == len(found), field
    assert set(COMPARED) <= set(measures.MEASURES)


def test_settings_and_tables_are_those_that_exist():
    """A measure of a table reads settings of that name, if its job has any; the same holds in the comparison."""
    every = [*TABLES.values(), MeasureSettings]
    for measure in measures.MEASURES:
        assert set(measure.tables) <= set(TABLES)
        if measure.settings:
            kinds = [kind.model_fields.get(measure.settings) for kind in every]
            found = [get_args(each.annotation) or each.annotation for each in kinds if each]
            assert found
            assert all(issubclass(each, Settings) for each in found), measure.key


# baselines


def gpt2(words):
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(words), n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=3
    )
    return GPT2LMHeadModel(config).eval()


def passing(model, words, targets=None):
    """An attention pass over the material, which a translation model also reads as its target."""
    told = MATERIAL if targets is None else replace(MATERIAL, targets=targets)
    read = reading.read(model, words, told)
    counts = read.frequencies()
    frequencies = {"encoder": counts, "cross": counts}
    return AttentionPass(model.base_model, read.batches(), SETTINGS, words, frequencies)


MODELS = {
    "encoder": lambda words: passing(tiny_bert(words, max_position_embeddings=64), words),
    "decoder": lambda words: passing(gpt2(words), words),
    "translation": lambda words: passing(
        tiny_marian(words, max_position_embeddings=64), words, list(reversed(MATERIAL.lines))
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_baselines_are_what_uniform_attention_gives(words, name):
    """Of every kind of attention. Not `rare`: the arg-max of equal weights is no random token, as its baseline is."""
    seen = MODELS[name](words)
    judged = [each for each in of_heads.MEASURES if each.uniform and each.key != "rare"]
    with Lens(seen.model) as lens, lens.uniform(anatomy(seen.model).heads()):
        seen.table([], of_heads.MEASURES)
    table = seen.values(judged)
    assert set(table["kind"]) == {site.kind for site in anatomy(seen.model).sites}
    for row in table.itertuples():
        assert row.value == pytest.approx(row.baseline, abs=1e-5), (row.kind, row.measure)
    there = {(row.kind, row.measure) for row in table.itertuples()}
    assert {(kind, "entropy") for kind in set(table["kind"])} <= there
    if name != "translation":
        known = {"previous", "self", "first", "same-token", "sep", "punctuation"}
        assert known <= set(table["measure"])
        assert ("last" in set(table["measure"])) == (name == "encoder")  # a causal head does not see it


def test_the_baseline_of_rare_tokens_is_that_of_a_random_key(words):
    """Of a head whose arg-max is random, over many queries: keys are drawn among the real ones."""
    seen = MODELS["encoder"](words)
    rare = seen.statistic(of_heads.RARE)
    torch.manual_seed(0)
    for batch in seen.batches:
        rare.start(batch)
        side = batch.queries["encoder"]
        for layer in range(1, 4):
            scores = torch.rand(len(side.ids), 50, *side.ids.shape[1:], side.ids.shape[1])
            key = (scores * side.real[:, None, None]).argmax(-1)
            rare.update(Site("encoder", layer), key)
    found = rare.table().query("key == 'two-rarest'")["value"].mean()
    (expected,) = chance(of_heads.RARE.made_by, "two-rarest")(seen).values()
    assert found == pytest.approx(expected, abs=0.005)


def test_equal_heads_have_equal_shares_of_relevance(words):
    model = tiny_marian(words, max_position_embeddings=64)
    with torch.no_grad():
        for part in anatomy(model).sites.values():
            attention = part.module
            for name in ("q_proj", "k_proj", "v_proj"):
                getattr(attention, name).weight[8:] = getattr(attention, name).weight[:8]
                getattr(attention, name).bias[8:] = getattr(attention, name).bias[:8]
            attention.out_proj.weight[:, 8:] = attention.out_proj.weight[:, :8]
    batches = reading.read(model, words, replace(MATERIAL, targets=MATERIAL.lines)).batches()[:2]
    given = [as_given(batch) for batch in batches]
    table = PredictionPass(LanguageSubject(model, given, given)).values([RELEVANCE])
    assert set(table["kind"]) == set(KINDS)
    assert np.allclose(table["value"], table["baseline"], atol=1e-4)


# a new measure


class Second:
    """The statistic `second`: mean over texts of the mean attention of all queries to the second token."""

    def __init__(self):
        self.reductions = (self._attention,)
        self._tally = Tally("second")
        self._chance = {kind: torch.zeros(1, dtype=torch.float64) for kind in KINDS}
        self._texts = {kind: torch.zeros(1, dtype=torch.int64) for kind in KINDS}

    def start(self, batch):
        self._present = {kind: side.present.float() for kind, side in batch.queries.items()}
        for kind, side in batch.keys.items():
            even = uniform(side.present, causal=kind == "decoder")
            if not batch.same_text(kind):
                even = even[:, :1].expand(-1, self._present[kind].shape[1], -1)
            self._chance[kind] += self._mean(even[:, None], self._present[kind]).double().sum()
            self._texts[kind] += len(side.ids)

    @staticmethod
    def _mean(weights, present):
        return (weights[..., 1] * present[:, None]).sum(2) / present.sum(1, keepdim=True)

    def _attention(self, look):
        return self._mean(look.weights, self._present[look.site.kind][look.rows])

    def update(self, site, means):
        self._tally.add(site, means.sum(0, dtype=torch.float64)[:, None], torch.tensor([len(means)]))

    def table(self):
        return self._tally.table()

    def chance(self):
        return rates(self._chance, self._texts, ("",))


def second(seen, settings):
    return Second()


SECOND = Measure(
    key="second",
    name="second token",
    group=WHERE,
    says="Mean attention to the second token.",
    source="this test",
    made_by=second,
    value=Row("second"),
    share=True,
    uniform=chance(second, ""),
    tables=("heads", "segments"),
    threshold=0.6,
    does="attends to the second token",
)


@pytest.fixture
def listed(monkeypatch):
    """The dummy is on the lists, as one line puts it there."""
    monkeypatch.setattr(of_heads, "MEASURES", (*of_heads.MEASURES, SECOND))
    monkeypatch.setattr(measures, "MEASURES", (*measures.MEASURES, SECOND))


def planted(words):
    """All attend uniformly, but head 2 of layer 1 to the second token: its query is that token's position."""
    model = tiny_bert(words, max_position_embeddings=64)
    bert = model.bert
    with torch.no_grad():
        for parameter in bert.parameters():
            parameter.zero_()
        for module in bert.modules():
            if isinstance(module, torch.nn.LayerNorm):
                module.weight.fill_(1)
        for layer in bert.encoder.layer:  # a head whose W_O is zero is pruned
            layer.attention.output.dense.weight.fill_(1)
        bert.embeddings.position_embeddings.weight[1] = torch.tensor([1.0, -1.0] * 8)
        first = bert.encoder.layer[0].attention.self
        first.key.weight[8:] = torch.eye(8, 16)
        first.query.bias[8:] = 20 * torch.tensor([1.0, -1.0] * 4)
    return model


def table_of(model, words, settings):
    read = reading.read(model, words, MATERIAL)
    return heads_of(model, words, read.batches(), read.frequencies(), settings)[0]


def test_a_new_measure_is_in_the_table_of_translation_heads(words, listed):
    settings = HeadSettings.read({"split": "test", "relations": {}}, "heads")
    model = tiny_bert(words, max_position_embeddings=64, initializer_range=0.5)
    table = table_of(model, words, settings)
    rows = table[table["statistic"] == "second"].set_index(["layer", "head"])
    assert rows["count"].eq(len(MATERIAL.lines)).all()
    means = []
    for batch in reading.read(model, words, MATERIAL).batches(tokens=1):
        maps = weights_of(model.bert, batch.inputs)[Site("encoder", 2)]
        means.append(maps[0, 1, :, 1].mean())
    assert rows.loc[(2, 2), "value"] == pytest.approx(float(torch.stack(means).mean()), abs=1e-6)
    assert table[table["statistic"] != "second"].equals(table_without(model, words, settings))


def table_without(model, words, settings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_heads, "MEASURES", of_heads.MEASURES[:-1])
        return table_of(model, words, settings)


def test_a_new_measure_is_in_the_table_of_segments(words, listed, tmp_path):
    paragraphs = ["\n".join(MATERIAL.lines[start : start + 4]) for start in range(0, 40, 4)]
    (tmp_path / "test.txt").write_text("\n\n".join(paragraphs))
    settings = SegmentRunSettings.read({"segments": {"pieces": 24}}, "segments")
    batches = batches_of_text(tmp_path / "test.txt", words, settings)
    counts = reading.read(planted(words), words, MATERIAL).frequencies()
    table = heads_on_segments(planted(words).bert, words, batches, counts, settings).statistics
    rows = table[table["statistic"] == "second"].set_index(["layer", "head"])["value"]
    assert rows[1, 2] > 0.9
    assert rows[1, 1] < 0.2


def test_a_new_measure_is_on_the_page_with_its_function(words, listed):
    atlas = headwork.atlas(planted(words), MATERIAL.lines, tokenizer=words, settings=SMALL)
    assert atlas.functions[["layer", "head", "does"]].to_numpy().tolist() == [
        [1, 2, "attends to the second token"]
    ]
    shown = data(atlas)
    (words_of,) = [each for each in shown["measures"] if each["id"] == "second"]
    assert words_of["name"] == "Second token"
    assert words_of["baseline"] == "uniform attention"
    assert len(shown["models"][0]["values"]["second"]) == 4
    own = atlas.table[(atlas.table["measure"] == "second") & (atlas.table["layer"] == 2)]
    assert np.allclose(own["value"], own["baseline"], atol=1e-6)


def test_a_page_lists_what_a_model_lacks(words):
    """What was not measured has words but no values: the page then says so."""
    told = data(headwork.atlas(gpt2(words), MATERIAL.lines, tokenizer=words, settings=SMALL))
    assert "relevance" in {each["id"] for each in told["measures"]}
    assert "relevance" not in told["models"][0]["values"]


# tables without it


def rows_of(run, statistic):
    places = [("encoder", layer, head) for layer in (1, 2) for head in (1, 2)]
    rows = [(run, *place, statistic, "", 0.5, 9) for place in places]
    columns = ["run", "kind", "layer", "head", "statistic", "key", "value", "count"]
    return pd.DataFrame(rows, columns=columns)


OLD = rows_of("old", "entropy")
BOTH = pd.concat([OLD, rows_of("new", "entropy"), rows_of("new", "second")], ignore_index=True)


def test_runs_whose_table_is_older_have_no_value():
    found = of_statistic(BOTH, "second")
    lacking = found["value"].isna().groupby(found["run"]).all()
    assert lacking.to_dict() == {"new": False, "old": True}
    assert found[found["run"] == "old"]["count"].tolist() == [0] * 4
    assert len(of_statistic(BOTH, "entropy")) == 8
    with pytest.raises(NotMeasured, match="second was not measured"):
        of_statistic(OLD, "second")


def test_an_item_of_such_tables_says_so(monkeypatch, tmp_path):
    def draw(statistics):
        return of_statistic(statistics, "second")

    module = ModuleType("figure1")
    module.draw = draw
    monkeypatch.setattr(item, "module_of", lambda *given: module)
    OLD.drop(columns="run").to_parquet(tmp_path / "old.parquet")
    told = {"title": "Figure 1", "section": "1", "shows": "it", "roles": {}, "tables": ["statistics"]}
    asked = Item.read({"study": "mine", "key": "figure1", **told}, "item")
    figure, table = item.draw(asked, {"statistics": [tmp_path / "old.parquet"]}, [{"run": "old"}], tmp_path)
    assert [text.get_text() for text in figure.axes[0].texts] == ["second was not measured."]
    assert table["note"].tolist() == ["second was not measured"]


def test_a_claim_on_such_tables_cannot_be_tested():
    tables = {"statistics": BOTH.assign(trained=True)}
    with pytest.raises(Untestable, match="second was not measured in old"):
        claim_tests.values(Selection(tables, {}), "statistics", "second", "")
    assert len(claim_tests.values(Selection(tables, {"run": "new"}), "statistics", "second", "")) == 4

    def of_second(selection):
        return of_statistic(selection.table("statistics"), "second")

    tests = ModuleType("claims")
    tests.of_second = of_second
    claim = {"claim": "c", "published": None, "source": "", "test": "of_second"}
    claim |= {"select": {"run": "old"}, "parameters": {}}
    found = judging.judge("mine", [claim], tables, tests).iloc[0]
    assert (found["verdict"], found["note"]) == (judging.UNTESTABLE, "second was not measured")
