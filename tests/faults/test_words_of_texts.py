"""Words with spaces, sentences that are no trees, texts without spaces, pairs with an empty side."""

import pytest
import torch
from small_tokenizers import TEXT, byte_pairs, wordpiece
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from transformers import GPT2Config, GPT2LMHeadModel

from headwork import atlas
from headwork.errors import InputError
from headwork.head_atlas import texts as atlas_texts
from headwork.heads.jobs.word_heads import measure_words
from headwork.heads.streaming.batches import texts
from headwork.parses.conllu import read_conllu, whole_trees
from headwork.plan.asked import check_paths
from headwork.run.frame import Files
from headwork.settings.atlas import AtlasRequest, AtlasSettings
from headwork.settings.heads import WordRunSettings

PLAIN = [("The", 2, "det"), ("cat", 3, "nsubj"), ("sat", 0, "root"), (".", 3, "punct")]
CYCLE = [("The", 2, "det"), ("cat", 1, "nsubj"), ("sat", 0, "root"), (".", 3, "punct")]


def with_number(number):
    found = [("The", 2, "det"), ("town", 3, "nsubj"), ("lost", 0, "root"), (number, 5, "nummod")]
    return [*found, ("men", 3, "obj"), (".", 3, "punct")]


def written(path, sentences):
    rows = (
        "".join(
            f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{name}\t_\t_\n" for n, (form, head, name) in enumerate(each, 1)
        )
        for each in sentences
    )
    path.write_text("".join(f"{each}\n" for each in rows))
    return path


def bert(**changes):
    words = wordpiece([*TEXT, "The town lost 26 000 men ."])
    return tiny_bert(words, vocab_size=len(words), max_position_embeddings=64, **changes), words


@pytest.mark.parametrize("number", ["26 000", "26\u00a0000", "26\u202f000"])
def test_a_word_may_hold_a_space(tmp_path, number):
    model, words = bert()
    trees = written(tmp_path / "a.conllu", [PLAIN, with_number(number)] * 60)
    found = atlas(model, trees, tokenizer=words)
    assert found.sentences == 120
    assert found.models[0].notes == ()
    counts = found.table.groupby("measure")["count"].first()
    assert counts["det/dependent-to-head"] == 120
    assert counts["nummod/dependent-to-head"] == 60
    lines = tmp_path / "a.txt"
    lines.write_text(f"The cat sat .\nThe town lost {number} men .\n" * 60)
    assert atlas(model, lines, tokenizer=words, parser=str(trees)).sentences == 120
    # lines of the corpora phase lack the spaces that words hold
    (text,) = texts(["The town lost 26000 men ."], words, [list(read_conllu(trees))[1]])
    assert max(text.pieces.words) == 5


def test_tokens_of_a_word_with_a_space_are_its_own():
    tree = next(read_conllu_of(with_number("26 000")))
    for tokenizer in (wordpiece(["26 000 men", *TEXT]), byte_pairs()):
        (text,) = texts([" ".join(tree.forms)], tokenizer, [tree])
        assert text.pieces.ids == tokenizer("The town lost 26 000 men .")["input_ids"]
        own = [number for number, word in zip(text.pieces.ids, text.pieces.words, strict=True) if word == 3]
        assert tokenizer.decode(own).replace(" ", "") == "26000"


def read_conllu_of(sentence):
    from headwork.parses.conllu import Block, parse_block

    rows = [
        f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{name}\t_\t_" for n, (form, head, name) in enumerate(sentence, 1)
    ]
    yield parse_block(Block(1, rows), "made up")


def test_one_bad_tree_is_left_out_with_its_reason(tmp_path):
    model, words = bert()
    path = written(tmp_path / "a.conllu", [PLAIN] * 30 + [CYCLE] + [with_number("26")] * 30)
    found = atlas(model, path, tokenizer=words)
    assert found.sentences == 60
    (note,) = found.models[0].notes
    assert note.startswith("1 sentence was left out: ")
    assert "a.conllu:151: the sentence that starts here is no tree: words 1, 2 form a cycle" in note
    lines = tmp_path / "a.txt"
    lines.write_text("The cat sat .\n" * 31 + "The town lost 26 men .\n" * 30)
    assert atlas(model, lines, tokenizer=words, parser=str(path)).sentences == 60
    assert len(list(whole_trees(path))) == 60
    with pytest.raises(InputError, match="words 1, 2 form a cycle"):
        atlas(model, written(tmp_path / "bad.conllu", [CYCLE] * 3), tokenizer=words)


def test_trees_of_pairs(tmp_path):
    words = word_tokenizer(["The", "cat", "sat", ".", "town", "lost", "26", "men"])
    path = written(tmp_path / "a.conllu", [PLAIN, CYCLE, PLAIN])
    source, target = tmp_path / "source.txt", tmp_path / "target.txt"
    source.write_text("The cat sat .\nThe cat sat .\n\nThe cat sat .\n")
    target.write_text("cat sat .\nsat .\nmen\nlost .\n")
    material = atlas_texts.of_pair(source, target, str(path), 10, 0)
    assert material.targets == ["cat sat .", "lost ."]
    assert material.notes[0] == "1 pair was left out: a side is empty."
    assert material.notes[1].startswith("1 pair was left out: ")
    assert "form a cycle" in material.notes[1]
    assert len(material.trees) == 2
    target.write_text("cat sat .\n\nmen\n\n")
    assert atlas_texts.of_pair(source, target, None, 10, 0).notes == (
        "3 pairs were left out: a side is empty.",
    )
    found = atlas(tiny_marian(words), pair=(source, target), tokenizer=words)
    assert "3 pairs were left out: a side is empty." in found.models[0].notes


def test_jobs_leave_a_bad_tree_out(tmp_path):
    from headwork.models.loading import checkpoints

    model, words = bert()
    checkpoints.save(tmp_path / "model", model, words)
    entities = tmp_path / "mentions.conllu"
    rows = ["# newdoc id = a"]
    rows += ["1\tAnn\t_\tPROPN\t_\t_\t2\tnsubj\t_\tCoref=1"]
    rows += [
        "2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_",
        "3\tshe\t_\tPRON\t_\t_\t2\tobj\t_\tCoref=1",
    ]
    entities.write_text("\n".join(rows) + "\n\n")
    trees = written(tmp_path / "a.conllu", [PLAIN] * 5 + [CYCLE])
    out = {name: tmp_path / f"{name}.out" for name in ("offsets", "rules", "examples")}
    files = Files(model=[tmp_path / "model/config.json"], trees=trees, mentions=[entities])
    output = Files(statistics=tmp_path / "statistics.parquet", **out)
    measure_words(files, output, WordRunSettings())
    assert "det,1,1,5" in out["offsets"].read_text()


def test_why_a_sentence_is_left_out():
    model, words = bert()
    long = " ".join(["The cat"] * 60)
    notes = atlas(model, [*TEXT, long], tokenizer=words).models[0].notes
    assert notes[0] == "1 sentence was left out: over 64 subword tokens."
    notes = atlas(model, [*TEXT, long, long, "the \u200b cat"], tokenizer=words).models[0].notes
    assert notes[0] == "2 sentences were left out: over 64 subword tokens."
    assert notes[1].startswith("1 sentence was left out: the tokeniser makes no piece of word 2")
    sample = atlas(model, TEXT, tokenizer=words, settings=AtlasSettings(sentences=1)).models[0].notes
    assert sample[0] == "A random sample of 1 of 8 sentences was measured."


@pytest.mark.parametrize(
    "lines", [["猫坐在垫子上。", "狗跑了。"] * 20, ["แมวนั่งบนเสื่อ"] * 20, ["猫はマットの上に座った。"] * 20]
)
def test_a_text_without_spaces_is_measured_by_its_tokens(lines):
    words = wordpiece(lines)
    torch.manual_seed(0)
    encoder = tiny_bert(words, vocab_size=len(words), max_position_embeddings=64)
    decoder_words = byte_pairs(lines)
    sizes = {
        "n_embd": 24,
        "n_layer": 1,
        "n_head": 2,
        "n_positions": 128,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    decoder = GPT2LMHeadModel(GPT2Config(vocab_size=len(decoder_words), **sizes)).eval()
    for model, tokenizer in ((encoder, words), (decoder, decoder_words)):
        found = atlas(model, lines, tokenizer=tokenizer)
        assert found.sentences == len(lines)
        assert {"previous", "first", "entropy", "removal"} <= set(found.table["measure"])
        assert any("no spaces between words" in note for note in found.models[0].notes)


def test_a_list_of_words_is_still_no_text():
    model, words = bert()
    with pytest.raises(InputError, match="no sentence of two words or more"):
        atlas(model, ["cat", "dog"], tokenizer=words)


def test_half_a_character():
    model, words = bert()
    notes = atlas(model, [*TEXT, "The cat \ud83d sat"], tokenizer=words).models[0].notes
    assert notes[0] == (
        "1 sentence was left out: after 'The cat ' stands U+D83D, half of a character, which no tokenizer reads; "
        "read the text as UTF-8 again."
    )
    with pytest.raises(InputError, match="half of a character"):
        atlas(model, ["The cat \udc00 sat"], tokenizer=words)


def test_numbers_as_names():
    with pytest.raises(InputError, match=r"it is 202401, read as a number .* a name with a letter first"):
        AtlasRequest.read({"model": "bert", "name": 202401}, "command line")
    with pytest.raises(InputError, match=r"in a command write a path with \./"):
        AtlasRequest.read({"model": "bert", "text": 2.5}, "command line")


@pytest.mark.parametrize("path", ["my{model}", "a<b", "x}y", "a>b"])
def test_paths_that_snakemake_reads_as_patterns(path):
    with pytest.raises(InputError, match="a path in Snakemake must not hold"):
        check_paths(AtlasRequest(model=path))
    check_paths(AtlasRequest(model="bert", text="my text.txt"))
