"""The gallery says what is there, what is missing and how to make it; every link leads somewhere; texts are escaped."""

import hashlib
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from made_up_results import LONG, SCRIPT, write_item, write_record, write_results

from headwork.errors import InputError
from headwork.studies.gallery import pages
from headwork.studies.gallery.entries import Places, gather, tally, to_make
from headwork.studies.gallery.importance import DEFINITIONS, compare
from headwork.studies.gallery.scales import read_scales
from headwork.studies.measures import MEASURES
from headwork.studies.study import read_studies, read_study

FIGURE2 = "results/miniature/studies/clark2019/figure2.svg"


def scales_of(results, root, studies):
    return read_scales(results, root, {study.key: study for study in studies})


class Page(HTMLParser):
    """Ids and links of a page, and the text of each section by its id ("" for all sections without one)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids, self.links, self.texts, self._open = [], [], {}, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.ids += [known["id"]] if "id" in known else []
        self.links += [known[name] for name in ("href", "src", "action") if name in known]
        if tag == "section":
            self._open.append(known.get("id", ""))
        if tag in ("dt", "dd", "li", "p", "h2", "h3", "th", "td", "span"):
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag == "section":
            self._open.pop()

    def handle_data(self, data):
        for name in self._open:
            self.texts[name] = self.texts.get(name, "") + data

    def section(self, name: str) -> str:
        return " ".join(self.texts[name].split())


@pytest.fixture(scope="module")
def studies(root):
    return list(read_studies(root / "workflow/studies").values())


@pytest.fixture(scope="module")
def clark(studies):
    return next(study for study in studies if study.key == "clark2019")


@pytest.fixture(scope="module")
def sentences(clark):
    """Two made-up claims are claims of the config: one that figure 2 shows, and one that table 1 shows."""
    shown = {claim["shown_in"][0]: claim["claim"] for claim in clark.claims if claim.get("shown_in")}
    return {
        "A claim of the paper that holds.": shown["figure2"],
        "A claim of the paper that fails.": shown["table1"],
    }


@pytest.fixture(scope="module")
def made(root, studies, sentences, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gallery")
    metadata = folder / ".snakemake/metadata"
    write_results(folder / "results", sentences)
    write_item(folder / "results/workstation/studies/voita2019", "figure6")
    write_item(folder / "results/my-bert/studies/clark2019", "figure4")
    write_record(metadata, FIGURE2, "clark2019_figure2", {LONG: "ab" * 32, "models/x": ""}, 100.0, 130.0)
    write_record(metadata, LONG, "segment_heads", {"models/x": ""}, 10.0, 100.0)
    write_record(metadata, "models/x", "train", {}, 0.0, 10.0)
    write_record(metadata, "models/y", "train", {}, 0.0, 10.0)
    pages.write_gallery(studies, root, folder / "results", metadata)
    return folder / "results"


def test_every_link_and_picture_leads_to_a_file_of_the_results(made, studies):
    found = {path: Page(path) for path in (made / "index.html", *made.glob("gallery/*.html"))}
    assert {path.stem for path in found} == {
        *("index", "search", "importance"),
        *(study.key for study in studies),
    }
    for path, page in found.items():
        assert len(page.ids) == len(set(page.ids)), path
        for link in page.links:
            if link == "data:,":  # the empty icon
                continue
            file, _, fragment = link.partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            assert target.is_relative_to(made.resolve()) or target == path, link
            assert target.is_file(), f"{path.name}: {link}"
            assert not fragment or fragment in found[made / target.relative_to(made.resolve())].ids, link


def test_items_that_are_missing_are_named_with_the_command_that_makes_them(made):
    page = Page(made / "gallery/clark2019.html")
    assert "Not made yet. This command makes it: snakemake clark2019_figure1" in page.section("figure1")
    assert "workstation" not in page.section("figure2")  # that scale has nothing of this study
    overlay = "--configfile config/workstation.yaml --config data=path/to/corpora"
    figure7 = Page(made / "gallery/voita2019.html").section("figure7")
    assert f"This command makes it: snakemake voita2019_figure7 {overlay}" in figure7
    assert re.search(r"it first trains \d+ models: news-de-\S+, ", figure7)
    assert "my-bert" in page.section("figure4")
    assert "No file of config/ has the scale my-bert" in page.section("figure4")
    assert "my-bert" not in page.section("figure2")


@pytest.fixture
def own_scale(root, studies, tmp_path):
    """A copy of config and studies with an overlay of one's own model, at whose scale one figure was made."""
    for name in ("config", "workflow/studies"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "tests/config").mkdir(parents=True)
    overlay = {
        "scale": "my-bert",
        "runs": {"mine": "config/mine.tsv"},
        "architectures": {"my-bert": {"model": "bert-base-uncased"}},
        "studies": {"clark2019": {"runs": {"Wikipedia": {"EN": "my-bert"}}}},
    }
    (tmp_path / "config/my-bert.yaml").write_text(yaml.safe_dump(overlay))
    columns = "run study corpus objective architecture recipe seed init_run gates penalty target"
    row = ["my-bert", "clark2019", "paragraphs", "mlm", "my-bert", "as-is", "1", "", "none", "0", ""]
    (tmp_path / "config/mine.tsv").write_text("\n".join(map("\t".join, (columns.split(), row))) + "\n")
    write_item(tmp_path / "results/my-bert/studies/clark2019", "figure4")
    return tmp_path


def test_after_a_scale_of_ones_own_what_is_named_trains_nothing(own_scale, studies):
    """Figure 3 needs a masked-word head that is trained, and so do the claims."""
    index = Page(pages.write_gallery(studies, own_scale, own_scale / "results"))
    named = re.search(
        r"without training a model: snakemake ([\w ]+) --configfile config/my-bert.yaml", index.section("")
    )
    items = "figure1 figure2 figure5 figure6 table1 table2 table3"
    assert named[1] == " ".join(f"clark2019_{item}" for item in items.split())
    assert "1 item trains models first" in index.section("")
    clark = Page(own_scale / "results/gallery/clark2019.html")
    assert "it first trains a model: minilm-mlm" in clark.section("figure3")
    assert "it first trains" not in clark.section("table1")
    assert "my-bert" not in Page(own_scale / "results/gallery/voita2019.html").section("figure7")
    assert f"1 of {sum(len(study.items) for study in studies)} are here" in index.section("")


def test_a_model_that_is_there_is_not_trained(own_scale, studies):
    model = own_scale / "results/my-bert/models/minilm-mlm/model.safetensors"
    model.parent.mkdir(parents=True)
    model.touch()
    scale = next(
        scale for scale in scales_of(own_scale / "results", own_scale, studies) if scale.name == "my-bert"
    )
    (page,) = [
        page
        for page in gather(studies, [scale], Places(own_scale, own_scale / "results"))
        if page.study.key == "clark2019"
    ]
    targets, further = to_make([page], scale)
    assert {"clark2019_figure3", "clark2019_claims"} <= set(targets)
    assert further == 0


def test_a_verdict_stands_beside_the_item_that_shows_its_claim(made, sentences):
    page = Page(made / "gallery/clark2019.html")
    holds, fails = sentences.values()
    assert holds in page.section("figure2")
    assert "0.91 [0.90, 0.92]" in page.section("figure2")
    assert "n = 7,837" in page.section("figure2")
    assert "reading notes of the paper" in page.section("figure2")
    assert holds not in page.section("table1")
    assert fails in page.section("table1")
    # what no item shows, here because the config does not know it
    assert "A claim without a model." in page.section("claims")
    assert "no run" in page.section("claims")


def test_claims_of_papers_and_controls_are_counted_apart(root, made, studies):
    scales = scales_of(made, root, studies)
    claims = [claim for page in gather(studies, scales, Places(root, made)) for claim in page.claims]
    paper = {"holds": 1, "does not hold": 1, "cannot be tested at this scale": 1}
    assert tally(claims, "miniature") == paper
    assert list(tally(claims, "miniature")) == list(paper)
    assert tally(claims, "miniature", control=True) == {"does not hold": 1}
    assert tally(claims, "workstation") == {}
    first = Page(made / "index.html").section("")
    assert "Claims of the papers ✓ 1 holds ✕ 1 does not hold – 1 cannot be tested at this scale" in first
    assert "Controls of this project ✕ 1 does not hold" in first


def test_texts_of_results_are_shown_not_run(made):
    for path in (made / "gallery/clark2019.html", made / "gallery/search.html"):
        text = path.read_text()
        assert SCRIPT not in text
        assert "&lt;script&gt;window.broken" in text


def test_provenance_is_that_of_snakemakes_records(made):
    page = Page(made / "gallery/clark2019.html")
    assert f"{LONG} SHA-256 abababababab…" in page.section("figure2")
    assert "segment_heads, train Duration 30 s; with all jobs before it 2 min" in page.section("figure2")
    assert "workflow/studies/clark2019/figure2.py" in page.section("figure2")
    assert "architectures." in page.section("figure2")
    assert "Duration not recorded" in page.section("table1")
    assert "words, offsets (of the present config" in page.section("table1")


def test_measures_of_importance_are_compared_in_the_order_of_their_area(made, root, studies):
    (comparison,) = compare(made, scales_of(made, root, studies))
    assert [row.name for row in comparison.rows] == ["attribution", "confidence", "random"]
    assert comparison.rows[0].correlations["score"] == "0.88 [0.20, 0.90]"
    assert comparison.rows[2].correlations["score"] == "–"
    assert set(DEFINITIONS) == set(MEASURES)


def test_the_same_results_give_the_same_bytes(made, root, studies):
    before = {path: path.read_bytes() for path in (made / "index.html", *made.glob("gallery/**/*.*"))}
    (made / "gallery/left-behind.html").write_text("")
    pages.write_gallery(studies, root, made, made.parent / ".snakemake/metadata")
    assert {path: path.read_bytes() for path in (made / "index.html", *made.glob("gallery/**/*.*"))} == before


def test_without_any_results_the_pages_say_how_to_make_them_and_head_atlases_are_linked(
    root, studies, tmp_path
):
    atlas = tmp_path / "results/atlas/my <model>/atlas.html"
    atlas.parent.mkdir(parents=True)
    atlas.write_text("")
    index = pages.write_gallery(studies, root, tmp_path / "results")
    assert f"<b>0</b> of {sum(len(study.items) for study in studies)} items made" in index.read_text()
    assert "snakemake synthesis_table1" in (tmp_path / "results/gallery/importance.html").read_text()
    assert "atlas/my%20%3Cmodel%3E/atlas.html" in Page(index).links
    assert "my &lt;model&gt;" in index.read_text()


def test_a_claim_shown_in_an_item_that_there_is_not_is_refused(root, tmp_path):
    text = (root / "workflow/studies/clark2019/study.yaml").read_text()
    path = tmp_path / "clark2019/study.yaml"
    path.parent.mkdir()
    path.write_text(re.sub(r"shown_in: \[figure2\]", "shown_in: [figure22]", text, count=1))
    with pytest.raises(InputError, match=r"`shown_in` names no item 'figure22'; did you mean 'figure2'"):
        read_study(path)


def test_the_search_engine_has_its_version_and_licence(root):
    text = (root / "workflow/src/headwork/studies/gallery/static/minisearch.min.js").read_text()
    banner, code = text.split("*/\n")
    assert "MiniSearch 7.2.0" in banner
    assert "Copyright 2022 Luca Ongaro" in banner
    digest = hashlib.sha256(code.encode()).hexdigest()
    assert digest == "885c8833ae59798d751390a73f88b1514b866a0e0d3f08d41b6989058e3f48b9"
