"""Mentions and entities: of GAP, of the world's paragraphs, and the sentence that each mistake gets."""

import gzip

import pytest

from headwork.corpora.annotated.coreference import Mention, read_entities, read_gap
from headwork.errors import InputError
from miniature_world.genders import natural_genders
from miniature_world.generate import generate
from miniature_world.sentence import to_conllu

HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
ROW = "t-1\tAnna Bell's aunt, Ida, said \"she left.\tshe\t29\tAnna Bell\t0\tFALSE\tIda\t18\tTRUE\thttp://x\n"


@pytest.fixture
def gap(tmp_path):
    path = tmp_path / "gap.tsv.gz"

    def written(text):
        path.write_bytes(gzip.compress(text.encode()))
        return path

    return written


def test_gap_by_hand(gap):
    (document,) = read_gap(gap(HEAD + ROW))
    assert document.name == "t-1"
    assert " ".join(document.words) == "Anna Bell ' s aunt , Ida , said \" she left ."
    assert document.mentions == (
        Mention(0, 2, 1, 1, "proper"),
        Mention(6, 7, 6, 0, "proper"),
        Mention(10, 11, 10, 0, "pronoun"),
    )
    (other,) = read_gap(gap(HEAD + ROW), head="first")
    assert other.mentions[0] == Mention(0, 2, 0, 1, "proper")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.replace("A-offset", "A-place") + ROW, r":1: no column 'A-offset'; the head has ID, Text"),
        (HEAD + ROW.replace("\tFALSE", ""), r":2: 10 cells where the head has 11"),
        (HEAD + ROW + ROW.replace("18", "17"), r":3: B is 'Ida', but something else stands at B-offset '17'"),
        (HEAD + ROW.replace("18", "x"), r":2: B is 'Ida', but something else stands at B-offset 'x'"),
        (HEAD + ROW.replace("FALSE", "no"), r":2: A-coref is 'no', but must be TRUE or FALSE"),
        ("", r": the file is empty"),
    ],
)
def test_mistakes_in_gap(gap, text, message):
    with pytest.raises(InputError, match=r"gap\.tsv\.gz" + message):
        list(read_gap(gap(text)))


def test_real_gap(real_data):
    folder = real_data / "coref" / "gap"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    documents = list(read_gap(folder / "gap-validation.tsv.gz"))
    assert len(documents) == 454
    for document in documents:
        assert sorted(mention.kind for mention in document.mentions) == ["pronoun", "proper", "proper"]
        (pronoun,) = (mention for mention in document.mentions if mention.kind == "pronoun")
        assert document.words[pronoun.head].lower() in {"he", "him", "his", "she", "her", "hers"}
        assert all(mention.start <= mention.head < mention.end for mention in document.mentions)


TREES = """# newdoc id = news-1
# text = in Hull , the fan of Ida who sleeps saw her .
1\tin\tin\tADP\tIN\t_\t2\tcase\t_\t_
2\tHull\tHull\tPROPN\tNNP\tNumber=Sing\t10\tobl\t_\tCoref=1
3\t,\t,\tPUNCT\t,\t_\t10\tpunct\t_\t_
4\tthe\tthe\tDET\tDT\t_\t5\tdet\t_\t_
5\tfan\tfan\tNOUN\tNN\tNumber=Sing\t10\tnsubj\t_\tSense=fan%1|Coref=2
6\tof\tof\tADP\tIN\t_\t7\tcase\t_\t_
7\tIda\tIda\tPROPN\tNNP\tNumber=Sing\t5\tnmod\t_\tCoref=3
8\twho\twho\tPRON\tWP\tPronType=Rel\t9\tnsubj\t_\tCoref=2
9\tsleeps\tsleep\tVERB\tVBZ\t_\t5\tacl:relcl\t_\t_
10\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_
11\ther\tshe\tPRON\tPRP\tGender=Fem|Number=Sing|Person=3\t10\tobj\t_\tCoref=3
12\t.\t.\tPUNCT\t.\t_\t10\tpunct\t_\t_

# text = she left .
1\tshe\tshe\tPRON\tPRP\tGender=Fem|Number=Sing|Person=3\t2\tnsubj\t_\tCoref=3
2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# newdoc id = news-2
# text = he left .
1\the\the\tPRON\tPRP\tGender=Masc|Number=Sing|Person=3\t2\tnsubj\t_\tCoref=1
2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_
"""


def conllu(tmp_path, text):
    path = tmp_path / "world.conllu"
    path.write_text(text)
    return path


def test_entities_by_hand(tmp_path):
    first, second = read_entities(conllu(tmp_path, TREES), {"Ida": "Fem", "fan": "Neut"})
    assert (first.name, first.sentences, len(first.words)) == ("news-1", (0, 12), 15)
    assert first.mentions == (
        Mention(1, 2, 1, 1, "proper"),
        Mention(3, 9, 4, 2, "nominal"),
        Mention(6, 7, 6, 3, "proper"),
        Mention(10, 11, 10, 3, "pronoun"),
        Mention(12, 13, 12, 3, "pronoun"),
    )
    assert first.features[6] == {"Number": "Sing", "Gender": "Fem"}
    assert first.features[4]["Gender"] == "Neut"
    assert first.features[0] == {}
    assert second.mentions == (Mention(0, 1, 0, 1, "pronoun"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TREES.replace("# newdoc id = news-1\n", ""), r":1: no `# newdoc id` before this sentence"),
        (TREES.replace("Coref=3", "Coref=x"), r":1: 'Ida' has the entity 'x'; Coref= must be a number"),
        (TREES.replace("Coref=", "Entity="), r": no word has an entity"),
        (
            TREES.replace("2\tleft\tleave", "two\tleft\tleave"),
            r":16: the sentence that begins here is malformed",
        ),
        ("\n\n", r": no word has an entity"),
    ],
)
def test_mistakes_in_entities(tmp_path, text, message):
    with pytest.raises(InputError, match=r"world\.conllu" + message):
        list(read_entities(conllu(tmp_path, text)))


@pytest.mark.parametrize("domain", ["news", "subtitles"])
def test_the_worlds_paragraphs(tmp_path, domain):
    sentences = list(generate(domain, 150, seed=4))
    text = "".join(to_conllu(sentence) + "\n" for sentence in sentences)
    documents = list(read_entities(conllu(tmp_path, text), natural_genders()))
    assert len(documents) == sentences[-1].paragraph
    assert [word for document in documents for word in document.words] == [
        word for sentence in sentences for word in sentence.tokens
    ]
    again = 0
    for document in documents:
        for mention in document.mentions:
            assert mention.start <= mention.head < mention.end
            earlier = [m for m in document.mentions if m.entity == mention.entity and m.head < mention.head]
            gender = document.features[mention.head].get("Gender")
            known = {document.features[m.head].get("Gender", gender) for m in earlier}
            if mention.kind == "pronoun" and earlier and gender:
                again += 1
                assert known == {gender}, (document.words, mention)
    assert again > 5


def test_genders_of_the_world():
    genders = natural_genders()
    assert (genders["queen"], genders["king"], genders["bridge"]) == ("Fem", "Masc", "Neut")
    assert "crane" in genders  # a bird or a machine, neither of them a person
    assert not {"doctor", "fan"} & set(genders)  # a man or a woman; a person or a thing
