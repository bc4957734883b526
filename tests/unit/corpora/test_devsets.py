"""WMT development and test sets in the shapes in which they are distributed."""

import pytest

from headwork.corpora.sources.devsets import both_sides, one_side
from headwork.corpora.sources.pairs import aligned
from headwork.errors import InputError

SOURCE = """<srcset setid="newstest2014" srclang="any">
<doc sysid="ref" docid="1" genre="news" origlang="en">
<p>
<seg id="1">Gutach: Research & Development, 5 &lt; 6</seg>
<seg id="2">He said:
 "No."</seg>
</p>
</doc>
<doc sysid="ref" docid="2" genre="news" origlang="en">
<hl>
<seg id="1">Last one</seg>
</hl>
</doc>
</srcset>
"""
REFERENCE = (
    SOURCE.replace("srcset", "refset")
    .replace("srclang", "srclang='en' trglang")
    .replace("Last one", "Последнее")
)

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
  <doc origlang="en" id="a">
    <src lang="en"><p><seg id="1">Tom &amp; Jerry</seg></p><p><seg id="2">Go.</seg></p></src>
    <ref lang="ru" translator="A"><p><seg id="1">Том и Джерри</seg></p><p><seg id="2">Иди.</seg></p></ref>
    <ref lang="ru" translator="B"><p><seg id="1">Другой</seg></p><p><seg id="2">Перевод</seg></p></ref>
    <hyp system="x" lang="ru"><p><seg id="1">нет</seg></p><p><seg id="2">нет</seg></p></hyp>
  </doc>
  <doc origlang="en" id="b">
    <src lang="en"><p><seg id="1">Stop.</seg></p></src>
    <ref lang="ru" translator="B"><p><seg id="1">Стой.</seg></p></ref>
    <hyp system="x" language="ru"><p><seg id="1">нет</seg></p></hyp>
  </doc>
  <doc origlang="en" id="c" testsuite="places">
    <src lang="en"><p><seg id="1">Go to Rome.</seg></p></src>
    <hyp system="x" language="ru"><p><seg id="1">нет</seg></p></hyp>
  </doc>
  <doc origlang="en" id="d">
    <src lang="en"><p><seg id="1">Bye.</seg></p></src>
    <ref lang="ru" translator="A"><p><seg id="1">Пока.</seg></p></ref>
  </doc>
</dataset>
"""


def test_sgml_pair(tmp_path):
    source, reference = tmp_path / "a-src.en.sgm", tmp_path / "a-ref.ru.sgm"
    source.write_text(SOURCE)
    reference.write_text(REFERENCE)
    assert [segment.text for segment in one_side(source)] == [
        "Gutach: Research & Development, 5 < 6",
        'He said: "No."',
        "Last one",
    ]
    pairs = list(aligned(source, reference))
    assert (pairs[2].source, pairs[2].target, pairs[2].line) == ("Last one", "Последнее", 11)


def test_xml_takes_the_first_reference_and_no_system_and_no_test_suite(tmp_path):
    path = tmp_path / "newstest2021.xml"
    path.write_text(XML)
    assert list(both_sides(path, "en", "ru")) == [
        (4, "Tom & Jerry", "Том и Джерри"),
        (4, "Go.", "Иди."),
        (10, "Stop.", "Стой."),
        (19, "Bye.", "Пока."),
    ]


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (XML, "de", r"\.xml: no src in 'en' with a ref in 'de'; the file has ref ru, src en"),
        (XML.replace('<seg id="1">Стой.</seg>', ""), "ru", r"\.xml:10: segment 1 has no reference in 'ru'"),
    ],
)
def test_xml_that_lacks_a_side(tmp_path, text, target, message):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(InputError, match=message):
        list(both_sides(tmp_path / "a.xml", "en", target))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SOURCE[: SOURCE.index("one</seg>")], r"a\.sgm:11: the file ends inside a segment"),
        ("<html>Not found</html>\n", "give a WMT set"),
    ],
)
def test_sgml_that_is_none(tmp_path, text, message):
    (tmp_path / "a.sgm").write_text(text)
    with pytest.raises(InputError, match=message):
        list(one_side(tmp_path / "a.sgm"))
