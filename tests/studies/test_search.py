"""The search of the gallery, in Node on the entries of the page: what is found first, words in other forms, hints.

The browser tests do the same on the page itself; without Node these tests are skipped.
"""

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from headwork.studies.gallery import pages
from headwork.studies.study import read_studies

HERE = Path(__file__).parent
STATIC = Path(pages.__file__).parent / "static"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


class Entries(HTMLParser):
    """The entries of the search page as search.js reads them; `about` is "rule" of an item or study, "" of a claim."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.found, self._inside, self._open = [], False, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if "data-kind" in known:
            names = [known["data-rule"]] if "data-rule" in known else []
            item = known["data-kind"] == "item"
            self.found.append({"names": names, "sentence": "", "rest": "", "item": item, "kicker": ""})
        if tag == "p":
            self._open = known.get("class", "").split()

    def handle_endtag(self, tag):
        if tag in ("p", "ul"):
            self._open = []

    def handle_data(self, data):
        if self.found:
            entry = self.found[-1]
            part = {"kicker": "kicker", "sentence": "sentence"}.get((*self._open, "")[0], "rest")
            entry[part] += data


@pytest.fixture(scope="module")
def entries(root, tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    pages.write_gallery(list(read_studies(root / "workflow/studies").values()), root, results)
    found = Entries(results / "gallery/search.html").found
    return [entry | {"names": [entry["kicker"].strip(), *entry["names"]]} for entry in found]


@pytest.fixture(scope="module")
def search(entries):
    """The answers to queries: the entries, and what else may be meant."""

    def ask(*queries):
        given = json.dumps({"entries": entries, "queries": queries})
        node = ["node", str(HERE / "search_in_node.js"), str(STATIC)]
        done = subprocess.run(node, input=given, capture_output=True, text=True, check=True)
        answers = json.loads(done.stdout)["answers"]
        return [answer | {"found": [entries[place] for place in answer["ids"]]} for answer in answers]

    return ask


@pytest.mark.parametrize(
    "query",
    [
        "Voita et al. 2019, figure 7",
        "voita et al 2019 figure 7",
        "voita2019_figure7",
        "figure 7 Voita 2019",
        "voita 2019 fig 7",
    ],
)
def test_an_item_that_is_named_comes_first(search, query):
    (answer,) = search(query)
    assert answer["found"][0]["names"] == ["Voita et al. 2019, figure 7", "voita2019_figure7"]


def test_every_item_and_study_is_first_under_its_name(entries, search):
    named = [(name, entry) for entry in entries for name in entry["names"] if len(entry["names"]) == 2]
    assert len(named) > 180
    for (name, entry), answer in zip(named, search(*(name for name, _ in named)), strict=True):
        assert answer["found"][0] == entry, name


def test_a_number_is_not_the_beginning_of_another(search):
    (answer,) = search("figure 1 voita 2019b")
    assert answer["found"][0]["names"][1] == "voita2019b_figure1"
    assert not [entry for entry in answer["found"] if entry["names"][1:] == ["voita2019b_figure10"]]


def test_words_are_found_in_other_forms_and_spellings(search):
    answers = search("specialised heads", "specialized head", "specialize heads", "specialisation heads")
    assert all(answer["found"] for answer in answers)
    for answer in answers:
        assert {"voita2019"} <= {entry["names"][-1] for entry in answer["found"]}


def test_the_beginning_of_a_word_is_enough(search):
    for beginning in ("specializ", "entrop", "prun", "pruni", "transl"):
        (answer,) = search(beginning)
        assert answer["found"], beginning


@pytest.mark.parametrize(
    "words",
    [
        "specialised specialized specialize specialization specialisation",
        "prune pruned pruning prunes",
        "translate translated translation translations",
        "probe probes probing",
        "behaviour behaviors",
        "analyse analysis analyzing analysed",
        "entropy entropies",
        "head heads",
        "dropped drop dropping",
        "similarity similarities",
    ],
)
def test_forms_of_a_word_have_one_stem_and_other_words_another(words):
    given = json.dumps({"entries": [], "queries": [], "words": [*words.split(), "layer", "gradient"]})
    node = ["node", str(HERE / "search_in_node.js"), str(STATIC)]
    *stems, layer, gradient = json.loads(
        subprocess.run(node, input=given, capture_output=True, text=True, check=True).stdout
    )["stems"]
    assert len(set(stems)) == 1
    assert len({stems[0], layer, gradient}) == 3


def test_a_slip_is_answered_with_what_may_be_meant(search):
    misspelt, elsewhere, apart = search("entrpoy", "induction", "entropy voita2019_figure7")
    assert (misspelt["found"], misspelt["near"]) == ([], ["entropy"])
    assert elsewhere["unknown"] == ["induction"]
    assert (apart["found"], apart["unknown"], apart["near"]) == ([], [], [])
