"""SemCor's three forms and the world's annotation come as the same sentences; what is none is said so."""

import gzip
import re

import pytest

from headwork.errors import InputError
from headwork.parses.senses import keys_beside, read_keys, read_senses, senses_of

SGML = """<contextfile concordance=brown>
<context filename=br-x01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00:: pn=group>Old_City_Council</wf>
<wf cmd=done pos=VB lemma=carry_out wnsn=2 lexsn=2:36:00::;2:36:01::>carried_out</wf>
<wf cmd=done pos=NN ot=notag>it</wf>
<punc>.</punc>
</s>
<s snum=2>
<wf cmd=done pos=NN lemma=bank wnsn=1 lexsn=1:14:00::>Banks</wf>
<wf cmd=done pos=VB lemma=say wnsn=1 lexsn=2:32:00::>said</wf>
</s>
</p>
</context>
</contextfile>
"""
FRAMEWORK = """<?xml version="1.0" encoding="UTF-8" ?>
<corpus lang="en" source="semcor">
<text id="d000">
<sentence id="d000.s000">
<wf lemma="the" pos="DET">The</wf>
<instance id="d000.s000.t000" lemma="art_form" pos="NOUN">art forms</instance>
<instance id="d000.s000.t001" lemma="say" pos="VERB">said</instance>
<wf lemma="&amp;" pos=".">&amp;</wf>
</sentence>
</text>
</corpus>
"""
KEYS = "d000.s000.t000 art_form%1:10:00::\nd000.s000.t001 say%2:32:00:: say%2:32:01::\n"


def quoted(text):
    """As NLTK has SemCor: every attribute's value in quotation marks."""
    return re.sub(r"=([^ >]+)", r'="\1"', text)


@pytest.mark.parametrize("text", [SGML, quoted(SGML)])
def test_semcor_itself(tmp_path, text):
    (tmp_path / "br-x01.xml").write_text(text)
    one, other = read_senses(tmp_path / "br-x01.xml")
    assert one.forms == ["The", "Old", "City", "Council", "carried", "out", "it", "."]
    assert [senses_of(word) for word in one.words] == [
        [], [], [], ["group%1:03:00::"], ["carry_out%2:36:00::", "carry_out%2:36:01::"], [], [], []
    ]  # fmt: skip
    assert [(word.lemma, word.upos) for word in other.words] == [("bank", "NOUN"), ("say", "VERB")]
    assert (one.line, other.line) == (4, 11)


def test_the_form_of_raganato_and_others(tmp_path):
    (tmp_path / "toy.data.xml").write_text(FRAMEWORK)
    (tmp_path / "toy.gold.key.txt").write_text(KEYS)
    (own,) = read_senses(tmp_path / "toy.data.xml")
    assert own.forms == ["The", "art", "forms", "said", "&"]
    assert senses_of(own.words[2]) == ["art_form%1:10:00::"]
    assert senses_of(own.words[3]) == ["say%2:32:00::", "say%2:32:01::"]
    assert own.words[2].lemma == "art_form"
    with gzip.open(tmp_path / "packed.data.xml.gz", "wt") as file:
        file.write(FRAMEWORK)
    assert keys_beside(tmp_path / "packed.data.xml.gz") == tmp_path / "packed.gold.key.txt"
    assert list(read_senses(tmp_path / "packed.data.xml.gz", tmp_path / "toy.gold.key.txt")) == [own]


COLUMNS = """# brown1_br-a01 1
The\tDT\t_\t_\t_
Fulton_County\tNNP\tgroup\tgroup%1:03:00::\t1
gave_up\tVB\tgive_up\tgive_up%2:40:01::\t2
year\tNN\tyear\tyear%1:28:02::;1:28:01::\t2;1

# brown1_br-a01 2
_\tPUNC\t_\t_\t_
"""


def test_semcor_in_columns(tmp_path):
    path = tmp_path / "semcor.tsv"
    path.write_text(COLUMNS)
    first, second = read_senses(path)
    assert first.forms == ["The", "Fulton", "County", "gave", "up", "year"]
    assert [senses_of(word) for word in first.words] == [
        [], [], ["group%1:03:00::"], ["give_up%2:40:01::"], [], ["year%1:28:02::", "year%1:28:01::"],
    ]  # fmt: skip
    assert [word.upos for word in first.words] == ["DT", "NOUN", "NOUN", "VERB", "VERB", "NOUN"]
    assert (first.words[3].lemma, first.words[5].lemma) == ("give_up", "year")
    assert second.forms == ["_"]
    assert [sentence.forms for sentence in read_senses(path, within={" ".join(first.forms)})] == [first.forms]


def test_the_world_and_only_wanted_sentences(tmp_path):
    row, path = "{}\t{}\t{}\tNOUN\t_\t_\t0\troot\t_\t{}\n\n", tmp_path / "world.conllu"
    path.write_text(row.format(1, "banks", "bank", "Sense=bank%2") + row.format(1, "it", "it", "_"))
    assert [sentence.forms for sentence in read_senses(path)] == [["banks"], ["it"]]
    assert [sentence.forms for sentence in read_senses(path, within={"banks"})] == [["banks"]]
    with pytest.raises(
        InputError, match=r"world\.conllu: no word has a sense in the sentences that are wanted"
    ):
        list(read_senses(path, within={"it"}))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.data.xml", FRAMEWORK, r":6: the senses of its instances are missing: there is no none.gold"),
        ("toy.data.xml", FRAMEWORK, r":7: the keys have no sense of the instance 'd000.s000.t001'"),
        ("cut.xml", SGML[: SGML.index("<punc>")], r":\d+: the file ends within a sentence; fetch it again"),
        ("plain.txt", "No element stands here.\n", r": no word has a sense; annotate it"),
        ("semcor.tsv", COLUMNS.replace("\tPUNC\t_", "\tPUNC"), r":8: the row has 4 tab-separated fields"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    (tmp_path / "toy.gold.key.txt").write_text(KEYS.splitlines()[0] + "\n")
    with pytest.raises(InputError, match=name + message):
        list(read_senses(tmp_path / name))


def test_a_line_of_keys_without_senses(tmp_path):
    (tmp_path / "toy.gold.key.txt").write_text("d000.s000.t000\n")
    with pytest.raises(InputError, match=r"gold.key.txt:1: a line must have an instance and its senses"):
        read_keys(tmp_path / "toy.gold.key.txt")
