"""Ids are those of the tokenizer's own call, for sources and for targets, whatever was called before."""

import copy

import pytest
import torch
from click.testing import CliRunner
from small_tokenizers import TEXT, byte_pairs, wordpiece
from tiny_bert import word_tokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (
    M2M100Config,
    M2M100ForConditionalGeneration,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    MBartTokenizer,
    NllbTokenizer,
)
from transformers.models.m2m_100.modeling_m2m_100 import shift_tokens_right

from headwork import atlas
from headwork.cli import commands
from headwork.corpora.running_text.segments import Segment, read_segments
from headwork.errors import InputError
from headwork.head_atlas.reading import read
from headwork.head_atlas.texts import Material
from headwork.heads.jobs.segment_heads import segment_batches
from headwork.heads.jobs.translation_heads import analysis_batches
from headwork.models.scoring.beam_search import _encode
from headwork.models.training.batches import TranslationData
from headwork.parses.align import pieces_of
from headwork.relevance.jobs.relevance import pair_batches
from headwork.relevance.subjects import as_given
from headwork.settings.corpora import SegmentSettings
from headwork.settings.heads import HeadSettings
from headwork.settings.parses import Relations

LINES = ["The cat", "No one knew him"]
SHAPE = {
    "d_model": 24,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 256,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
PIECES = [*["<s>", "<pad>", "</s>", "<unk>"], *sorted({c for line in [*TEXT, *LINES] for c in line} | {"▁"})]


def nllb(**languages):
    codes = ["eng_Latn", "fra_Latn", "deu_Latn"]
    vocab = {piece: number for number, piece in enumerate(PIECES)}
    given = {"src_lang": "eng_Latn", "tgt_lang": "fra_Latn"} | languages
    return NllbTokenizer(vocab=vocab, merges=[], additional_special_tokens=codes, **given)


def mbart(kind, **languages):
    given = {"src_lang": "en_XX", "tgt_lang": "ro_RO"} | languages
    return kind(vocab=[(piece, -float(number)) for number, piece in enumerate(PIECES)], **given)


def model_of(tokenizer):
    torch.manual_seed(0)
    if isinstance(tokenizer, MBartTokenizer | MBart50Tokenizer):
        config = MBartConfig(vocab_size=len(tokenizer), **SHAPE)
        # both are MBart's models; mBART-50's starts from </s>, then the language, as its config says
        return MBartForConditionalGeneration(config).eval()
    return M2M100ForConditionalGeneration(M2M100Config(vocab_size=len(tokenizer), **SHAPE)).eval()


TOKENIZERS = [nllb, lambda: mbart(MBartTokenizer), lambda: mbart(MBart50Tokenizer)]


@pytest.fixture(params=TOKENIZERS, ids=["nllb", "mbart", "mbart-50"])
def tokenizer(request):
    return request.param()


def test_a_decoder_reads_what_the_tokenizer_writes_for_a_target(tokenizer):
    model = model_of(tokenizer)
    reading = read(model, tokenizer, Material(LINES, "x", targets=LINES[::-1]))
    shifted = getattr(
        model, "prepare_decoder_input_ids_from_labels", lambda labels: shift_tokens_right(labels, 1, 2)
    )
    for number, (line, target) in enumerate(zip(LINES, LINES[::-1], strict=True)):
        inputs = reading.single(number).inputs
        labels = tokenizer(text_target=target, return_tensors="pt")["input_ids"]
        assert inputs["input_ids"].tolist() == [tokenizer(line)["input_ids"]]
        assert torch.equal(inputs["decoder_input_ids"], shifted(labels))
        assert torch.equal(as_given(reading.single(number)).labels, labels)
    (batch,) = reading.batches()
    both = tokenizer(text_target=LINES[::-1], padding=True, return_tensors="pt")["input_ids"]
    assert sorted(as_given(batch).labels.clamp_min(1).tolist()) == sorted(both.tolist())


def test_a_language_code_is_no_word(tokenizer):
    pieces = pieces_of(["The", "cat"], tokenizer, target=True)
    codes = {tokenizer.convert_tokens_to_ids(code) for code in ("fra_Latn", "ro_RO")}
    assert any(number in codes for number in pieces.ids)
    assert all(word == -1 for number, word in zip(pieces.ids, pieces.words, strict=True) if number in codes)


def test_jobs_read_the_same_targets(tmp_path):
    tokenizer = nllb()
    model = model_of(tokenizer)
    source, target, trees = tmp_path / "source.txt", tmp_path / "target.txt", tmp_path / "trees.conllu"
    source.write_text("".join(f"{line}\n" for line in LINES))
    target.write_text("".join(f"{line}\n" for line in LINES))
    trees.write_text(
        "".join(
            "".join(
                f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\troot\t_\t_\n" for n, word in enumerate(line.split(), 1)
            )
            + "\n"
            for line in LINES
        )
    )
    expected = sorted(tokenizer(text_target=line)["input_ids"] for line in LINES)
    data = TranslationData.read(source, target, tokenizer, 100)
    assert sorted(data.target[number].tolist() for number in range(2)) == expected
    assert sorted(data.source[number].tolist() for number in range(2)) != expected
    (batch,) = pair_batches(model, tokenizer, (source, target), None, 200, str)
    (heads,), _ = analysis_batches(
        model, tokenizer, source, target, trees, HeadSettings(split="test", relations=Relations())
    )
    for found in (batch, heads):
        rows = zip(found.target.ids, found.target.present, strict=True)
        assert sorted(ids[present].tolist() for ids, present in rows) == expected


def test_a_target_language_that_is_not_known_is_asked_for():
    tokenizer = nllb(tgt_lang=None)
    with pytest.raises(InputError, match=r"name it \(target_language\)"):
        read(model_of(tokenizer), tokenizer, Material(LINES, "x", targets=LINES))


def test_languages_can_be_named(tmp_path):
    tokenizer = nllb(tgt_lang=None)
    model = model_of(tokenizer)
    files = [tmp_path / "source.txt", tmp_path / "target.txt"]
    for file in files:
        file.write_text("".join(f"{line}\n" for line in LINES))
    named = {"source_language": "deu_Latn", "target_language": "fra_Latn"}
    found = atlas(model, pair=tuple(files), tokenizer=tokenizer, **named)
    sides = found.shown[0]["sides"]
    assert "deu_Latn" in sides["encoder"]["queries"]["tokens"]
    assert sides["decoder"]["queries"]["tokens"][:2] == ["</s>", "fra_Latn"]
    assert (tokenizer.src_lang, tokenizer.tgt_lang) == ("eng_Latn", None)
    with pytest.raises(InputError, match="does not know the language 'fr'; it knows fra_Latn"):
        atlas(model, LINES, tokenizer=tokenizer, source_language="fr")
    with pytest.raises(InputError, match="has no languages to choose from"):
        atlas(model, LINES, tokenizer=word_tokenizer(["The", "cat"]), source_language="fr")
    saved = tmp_path / "model"
    model.save_pretrained(saved)
    tokenizer.save_pretrained(saved)
    command = ["atlas", str(saved), "--pair", ",".join(map(str, files)), "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(commands, [*command, "--target-language", "fra_Latn"])
    assert result.exit_code == 0, result.output + str(result.exception)
    assert "fra_Latn" in (tmp_path / "out" / "atlas.html").read_text()


@pytest.mark.parametrize(
    "make", [wordpiece, lambda: byte_pairs(pad="<pad>"), nllb, lambda: word_tokenizer(["The", "cat"])]
)
def test_an_earlier_call_with_padding_or_truncation_changes_nothing(tmp_path, make):
    fresh = make()
    used = copy.deepcopy(fresh)
    used(["The cat", "The cat sat on the mat ."], padding="max_length", max_length=30, truncation=True)
    paths = tmp_path / "source.txt", tmp_path / "target.txt"
    for path in paths:
        path.write_text("The cat\nThe cat sat on the mat .\n")
    text = tmp_path / "paragraphs.txt"
    text.write_text("The cat sat on the mat .\nThe cat .\n\n")
    found = []
    for tokenizer in (fresh, used):
        data = TranslationData.read(*paths, tokenizer, 100)
        segments = list(read_segments(text, tokenizer.backend_tokenizer, SegmentSettings(pieces=60), 0))
        pieces = pieces_of(["The", "cat"], tokenizer)
        found.append((data.digest(), _encode(["The cat"], tokenizer, 60, "error", "x"), segments, pieces))
        used(["The cat", "The cat sat on the mat ."], padding="max_length", max_length=30, truncation=True)
    assert found[0] == found[1]
    assert found[0][1] == [fresh("The cat")["input_ids"]]
    assert found[0][3].ids == fresh("The cat")["input_ids"]


def test_segments_are_joined_as_the_tokenizer_joins_two_texts():
    own = wordpiece()
    (batch,) = segment_batches(
        [Segment(*(own(line, add_special_tokens=False)["input_ids"] for line in LINES))], own
    )
    assert batch.inputs["input_ids"][0].tolist() == own(*LINES)["input_ids"]
    assert batch.inputs["token_type_ids"][0].tolist() == own(*LINES)["token_type_ids"]
    twice = copy.deepcopy(own)  # as RoBERTa does
    specials = [(name, own.convert_tokens_to_ids(name)) for name in ("[CLS]", "[SEP]")]
    twice.backend_tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] [SEP] $B [SEP]", special_tokens=specials
    )
    with pytest.raises(InputError, match="does not join two texts as"):
        segment_batches([Segment([9], [9])], twice)
