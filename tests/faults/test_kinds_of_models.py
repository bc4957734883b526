"""Classifiers of every kind: with decoders, without padding, with one score, without token types."""

import pytest
import torch
from small_tokenizers import TEXT, byte_pairs, wordpiece
from torch import nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    GPT2Config,
    GPT2ForSequenceClassification,
    LlamaConfig,
    LlamaForSequenceClassification,
    OPTConfig,
    OPTForSequenceClassification,
)

from headwork import atlas
from headwork.errors import InputError
from headwork.head_atlas.reading import read
from headwork.head_atlas.texts import Material, of_task
from headwork.models.loading import checkpoints, hub
from headwork.models.loading.kinds import CLASSIFIER, kind_of, padding_known
from headwork.relevance.attributions.importance import taylor
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.attributions.targets import of_class

END = "<|endoftext|>"


def gpt2(tokenizer, **changes):
    sizes = {
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": 128,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    return GPT2ForSequenceClassification(GPT2Config(vocab_size=len(tokenizer), **sizes | changes))


def llama(tokenizer, **changes):
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    return LlamaForSequenceClassification(LlamaConfig(vocab_size=len(tokenizer), **sizes | changes))


def opt(tokenizer, **changes):
    sizes = {"hidden_size": 24, "word_embed_proj_dim": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"ffn_dim": 32, "bos_token_id": 0, "eos_token_id": 0, "max_position_embeddings": 128}
    return OPTForSequenceClassification(OPTConfig(vocab_size=len(tokenizer), **sizes | changes))


def bert(tokenizer, **changes):
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    return BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), **sizes | changes))


@pytest.fixture
def sst(tmp_path):
    rows = [f"{line}\t{number % 2}" for number, line in enumerate(TEXT)]
    (tmp_path / "dev.tsv").write_text("\n".join(["sentence\tlabel", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize("make", [gpt2, llama, opt])
@pytest.mark.parametrize("pad", [None, 0, 1])
@pytest.mark.parametrize("own", [None, "<pad>", END])
def test_a_classifier_with_a_decoder_answers_a_batch_as_it_answers_one_text(make, pad, own, sst):
    tokenizer = byte_pairs(pad=own)
    torch.manual_seed(0)
    model = make(tokenizer, num_labels=2, pad_token_id=pad, initializer_range=0.5).eval()
    reading = read(model, tokenizer, of_task("sst-2", sst, 100, 0))
    assert (reading.kind, reading.causal) == ("decoder", True)
    with padding_known(model, tokenizer), torch.no_grad():
        (batch,) = reading.batches(4000)
        logits = model(**batch.inputs).logits
    assert model.config.pad_token_id == pad
    assert not batch.queries["decoder"].present.all()
    inputs = batch.inputs["input_ids"], batch.inputs["attention_mask"]
    for row, ids, present in zip(logits, *inputs, strict=True):
        with torch.no_grad():
            alone = model(input_ids=ids[present.bool()][None]).logits[0]
        torch.testing.assert_close(row, alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("pad", [None, 0])
@pytest.mark.parametrize("make", [gpt2, llama])
def test_an_atlas_of_a_classifier_with_a_decoder(make, pad, sst):
    tokenizer = byte_pairs()
    torch.manual_seed(0)
    model = make(tokenizer, num_labels=2, pad_token_id=pad, initializer_range=0.5).eval()
    for given in ({"text": TEXT}, {"task": ("sst-2", sst)}):
        found = atlas(model, tokenizer=tokenizer, **given)
        assert set(found.table["kind"]) == {"decoder"}
        assert {"taylor", "removal", "previous", "first"} <= set(found.table["measure"])
        assert "attribution" in found.models[0].maps[0]
        assert found.table[found.table["measure"] == "removal"]["value"].abs().max() > 0
    assert model.config.pad_token_id == pad


def test_an_end_token_that_pads_is_not_taken_for_padding_when_it_ends_a_text():
    """Texts end with the only named token, so that padding with it would move the place that is read."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = byte_pairs()
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, tokenizer.eos_token_id)]
    )
    model = gpt2(tokenizer, pad_token_id=None).eval()
    with pytest.raises(InputError, match=r"has no token to pad texts with.*name one \(pad_token\)"):
        padding_known(model, tokenizer).__enter__()
    tokenizer.unk_token = "Q"
    with padding_known(model, tokenizer):
        assert model.config.pad_token_id != tokenizer.eos_token_id


def test_padded_queries_do_not_count(sst):
    """Measures of gradients of a padded batch are those of its texts alone."""
    tokenizer = byte_pairs(pad="<pad>")
    torch.manual_seed(0)
    model = gpt2(tokenizer, num_labels=2, pad_token_id=1, initializer_range=0.5).eval()
    reading = read(model, tokenizer, of_task("sst-2", sst, 100, 0))
    (batch,) = reading.batches(4000)
    answers = torch.zeros(len(TEXT), dtype=torch.long)
    found = taylor(model, batch.inputs, of_class(model, answers))
    for row, present in enumerate(batch.inputs["attention_mask"].bool()):
        one = {name: each[row : row + 1, present] for name, each in batch.inputs.items()}
        alone = taylor(model, one, of_class(model, answers[:1]))
        for name, of_sites in found.items():
            for site, values in of_sites.items():
                torch.testing.assert_close(values[row], alone[name][site][0], atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("problem", [None, "regression"])
def test_a_model_with_one_score_has_a_page_without_attributions(problem):
    tokenizer = wordpiece()
    model = bert(tokenizer, num_labels=1, problem_type=problem).eval()
    found = atlas(model, TEXT, tokenizer=tokenizer)
    assert {"removal", "previous"} <= set(found.table["measure"])
    assert "attribution" not in found.models[0].maps[0]
    assert any("one score" in note for note in found.models[0].notes)


def test_only_what_a_model_takes_is_passed(tmp_path, sst):
    tokenizer = wordpiece()
    assert "token_type_ids" in tokenizer("a")
    sizes = {"dim": 24, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
    model = DistilBertForSequenceClassification(DistilBertConfig(vocab_size=len(tokenizer), **sizes)).eval()
    for given in ({"text": TEXT}, {"task": ("sst-2", sst)}):
        assert len(atlas(model, tokenizer=tokenizer, **given).table)
    assert "token_type_ids" in tokenizer("a")  # the caller's own
    checkpoints.save(tmp_path / "model", model, tokenizer)
    loaded, own = hub.load(tmp_path / "model")
    inputs = own(TEXT[:2], padding=True, return_tensors="pt")
    assert sorted(inputs) == ["attention_mask", "input_ids"]
    assert len(weights_of(loaded, inputs)) == 2
    _, own = hub.load(saved(tmp_path / "bert", bert(tokenizer), tokenizer))
    assert "token_type_ids" in own("a")


def saved(folder, model, tokenizer):
    checkpoints.save(folder, model, tokenizer)
    return folder


def test_the_kind_is_that_of_the_class_it_comes_from():
    """Someone's own subclass, whatever it is called, is of the kind of the class that it extends."""

    class MyJudge(BertForSequenceClassification):
        pass

    class Wrapped(GPT2ForSequenceClassification):
        pass

    assert kind_of(MyJudge) == kind_of(Wrapped) == CLASSIFIER
    assert kind_of(nn.Linear) == "encoder"


def test_material_of_pairs_is_joined_by_the_tokenizer():
    tokenizer = byte_pairs()
    from headwork.corpora.annotated.glue import TASKS, Example

    model = gpt2(tokenizer, id2label={0: "entailment", 1: "not_entailment"}).eval()
    examples = [Example(0, TEXT[0], TEXT[1], "entailment"), Example(1, TEXT[2], TEXT[3], "not_entailment")]
    material = Material([TEXT[0], TEXT[2]], "RTE", task=TASKS["RTE"], examples=examples)
    reading = read(model, tokenizer, material)
    for number, each in enumerate(examples):
        found = reading.single(number)
        assert found.inputs["input_ids"][0].tolist() == tokenizer(each.first, each.second)["input_ids"]
        words = len(each.first.split()) + len(each.second.split())
        assert found.queries["decoder"].words.max() == words - 1
