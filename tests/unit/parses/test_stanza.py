"""stanza's tagger and parser: trained on a tiny treebank, used on tokenised text, and what is refused."""

import json
import logging
import shutil
from itertools import product

import pytest

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, read_trees, write_conllu
from headwork.parses.scores import score_files
from headwork.parses.stanza.parsing import parse_text, parses, pipeline_from, trained_pipeline
from headwork.parses.stanza.training import train_parser
from headwork.run.frame import Files
from headwork.settings.parses import Parser

# fmt: off
SIZES = {
    "word_emb_dim": 16, "word_cutoff": 1, "char": False, "transformed_dim": 16, "hidden_dim": 24,
    "num_layers": 1, "deep_biaff_hidden_dim": 24, "dropout": 0.0, "word_dropout": 0.0, "second_optim": None, "lr": 0.02,
    "max_steps": 24, "eval_interval": 12,
}
# fmt: on
TAGGER = {**SIZES, "share_hid": True, "batch_size": 12, "augment_nopunct": 0.0}
PARSER = {**SIZES, "optim": "adam", "deep_biaff_output_dim": 16, "tag_emb_dim": 8, "batch_size": 120}
PARSER |= {"linearization": False, "distance": False, "augment_nopunct": 0.0}

NOUNS, VERBS, ADJECTIVES = ("cat", "dog", "ship"), ("sees", "likes", "hears"), ("old", "big")


def _sentences():
    """Every ``the (old) cat sees the dog .`` with its tree."""
    for subject, verb, noun, adjective in product(NOUNS, VERBS, NOUNS, (None, *ADJECTIVES)):
        place = 3 if adjective else 2
        words = [Word("the", "the", "DET", head=place, deprel="det")]
        if adjective:
            words.append(
                Word(adjective, adjective, "ADJ", feats={"Degree": "Pos"}, head=place, deprel="amod")
            )
        singular, root = {"Number": "Sing"}, place + 1
        yield Sentence(
            [
                *words,
                Word(subject, subject, "NOUN", feats=singular, head=root, deprel="nsubj"),
                Word(verb, verb, "VERB", head=0, deprel="root"),
                Word("the", "the", "DET", head=place + 3, deprel="det"),
                Word(noun, noun, "NOUN", feats=singular, head=root, deprel="obj"),
                Word(".", ".", "PUNCT", head=root, deprel="punct"),
            ]
        )


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    sentences = list(_sentences())
    write_conllu(folder / "train.conllu", sentences[::2] + sentences[1::4])
    write_conllu(folder / "dev.conllu", sentences[3::4])
    return folder


def train(bank, folder, **changes):
    """Train into a folder, and return what training.json says."""
    settings = {"treebank": {"type": "embedded"}, "tagger": TAGGER, "parser": PARSER, **changes}
    files = {name: folder / f"{name}.pt" for name in ("tagger", "parser")}
    train_parser(
        Files(train=bank / "train.conllu", dev=bank / "dev.conllu"),
        Files(**files, training=folder / "training.json"),
        Parser.read(settings, "parser"),
    )
    return json.loads((folder / "training.json").read_text())


@pytest.fixture(scope="module")
def trained(bank, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "world"
    return folder, train(bank, folder)


@pytest.fixture(scope="module")
def pipeline(trained):
    return pipeline_from(trained[0])


def test_training_learns_and_tells(trained, bank, tmp_path):
    folder, account = trained
    assert account["treebank"]["dev"] == {"sentences": 20, "words": 133}
    assert [each["step"] for each in account["tagger"]["history"]] == [12, 24]
    assert account["settings"]["parser"] == PARSER
    assert account["scores"]["upos"] > 0.95
    assert account["scores"]["las"] > 0.9
    # the stored models are those that were scored
    lines, parsed, scores = (tmp_path / name for name in ("dev.txt", "parsed.conllu", "scores.json"))
    trees = read_trees(bank / "dev.conllu")
    lines.write_text("".join(" ".join(tree.forms) + "\n" for tree in trees), encoding="utf-8")
    parse_text(Files(models=folder, lines=lines), Files(trees=parsed), "en")
    score_files(Files(gold=bank / "dev.conllu", parsed=parsed), Files(scores=scores))
    assert json.loads(scores.read_text()) == account["scores"]


def test_the_same_training_gives_the_same_bytes(trained, bank, tmp_path):
    short = {"max_steps": 4, "eval_interval": 2}
    settings = {"tagger": TAGGER | short, "parser": PARSER | short, "tags": "predicted"}
    for name in ("one", "two"):
        train(bank, tmp_path / name, **settings)
    for file in ("tagger.pt", "parser.pt", "training.json"):
        first, second = ((tmp_path / name / file).read_bytes() for name in ("one", "two"))
        assert first == second != (trained[0] / file).read_bytes()


def test_progress_is_followed_and_logged(bank, tmp_path, caplog, capfd):
    tagger, parser = (
        TAGGER | {"max_steps": 40, "eval_interval": 20},
        PARSER | {"max_steps": 2, "eval_interval": 2},
    )
    with caplog.at_level(logging.INFO, "stanza"):
        train(bank, tmp_path, tagger=tagger, parser=parser)
    assert "Finished STEP 40/40" in caplog.text
    assert "Progress" not in [type(handler).__name__ for handler in logging.getLogger("stanza").handlers]
    assert "STEP" not in capfd.readouterr().err


def test_tokens_stay_as_they_are(pipeline):
    odd = [
        "the",
        "cat's",
        "10\u00a0000",
        "cafe\u0301",
        "\U0001f469\u200d\U0001f467",
        "can't",
        "a_b",
        "_",
        "<PAD>",
    ]
    trees = list(parses([odd, ["."]], pipeline))
    assert [tree.forms for tree in trees] == [odd, ["."]]
    assert trees[1].words[0].head == 0
    assert list(parses([], pipeline)) == []


def test_batches_do_not_change_the_parses(pipeline):
    sentences = [tree.forms for tree in _sentences()]
    assert list(parses(sentences, pipeline, at_once=7)) == list(parses(iter(sentences), pipeline))


def test_long_sentences_are_parsed(pipeline):
    (tree,) = parses([["the", "cat", "sees"] * 150], pipeline)
    assert len(tree) == 450


def test_stanza_must_give_back_the_tokens_it_got(pipeline):
    with pytest.raises(RuntimeError, match="changed the tokens"):
        list(parses([["a", "b"]], lambda chunk: pipeline([["a", "c"]])))


def test_published_models_come_from_a_folder_of_resources(trained, tmp_path):
    folder, _ = trained
    listed = {"tokenize": {"tiny": {}}, "lemma": {"identity": {}}}
    for processor, file in {"pos": "tagger.pt", "depparse": "parser.pt"}.items():
        (tmp_path / "en" / processor).mkdir(parents=True)
        shutil.copy(folder / file, tmp_path / "en" / processor / "tiny.pt")
        listed[processor] = {"tiny": {"md5": "-", "dependencies": []}}
    packages = {"default": {"tokenize": "tiny", "pos": "tiny", "lemma": "identity", "depparse": "tiny"}}
    resources = {"en": {**listed, "packages": packages, "lang_name": "English"}}
    (tmp_path / "resources.json").write_text(json.dumps(resources))
    sentences = [tree.forms for tree in _sentences()][:9]
    ours, theirs = (
        [[(word.upos, word.head) for word in tree.words] for tree in parses(sentences, pipeline)]
        for pipeline in (pipeline_from(folder), pipeline_from(tmp_path, package="default"))
    )
    assert theirs == ours
    with pytest.raises(InputError, match="no models for 'de'; the folder has en"):
        pipeline_from(tmp_path, "de")
    (tmp_path / "en" / "pos" / "tiny.pt").unlink()
    with pytest.raises(InputError, match="stanza cannot load package 'default' of 'en'"):
        pipeline_from(tmp_path, package="default")


def test_missing_models_are_refused(trained, tmp_path):
    folder, _ = trained
    with pytest.raises(InputError, match=r"nowhere: a model directory holds .*there is no such folder"):
        pipeline_from(tmp_path / "nowhere")
    with pytest.raises(InputError, match="it has neither"):
        pipeline_from(tmp_path)
    (tmp_path / "tagger.pt").write_bytes((folder / "tagger.pt").read_bytes())
    with pytest.raises(InputError, match=r"parser\.pt: the model does not exist"):
        pipeline_from(tmp_path)
    (tmp_path / "parser.pt").write_text("no model")
    with pytest.raises(InputError, match="stanza cannot load"):
        trained_pipeline(tmp_path / "tagger.pt", tmp_path / "parser.pt")


def test_a_failed_parse_leaves_no_file(trained, tmp_path):
    (tmp_path / "text.txt").write_text("the cat\nthe  cat\n", encoding="utf-8")
    given = Files(models=trained[0], lines=tmp_path / "text.txt")
    with pytest.raises(InputError, match=r"text\.txt:2: two spaces"):
        parse_text(given, Files(trees=tmp_path / "trees.conllu"), "en")
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tagger": {"hiden_dim": 3}}, "tagger: unknown setting 'hiden_dim'; did you mean 'hidden_dim'"),
        ({"parser": {"max_steps": "many"}}, "parser: setting 'max_steps' is 'many'"),
        ({"parser": {"save_dir": "x"}}, "parser: unknown setting 'save_dir'"),
        ({"tagger": {"max_steps": True}}, "tagger: setting 'max_steps' is True"),
        ({"tagger": {**TAGGER, "max_steps": 2}}, "tagger: eval_interval is 12 of max_steps 2"),
    ],
)
def test_settings_that_do_not_fit_are_refused(bank, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        train(bank, tmp_path / "models", **change)
    assert not (tmp_path / "models").exists()
