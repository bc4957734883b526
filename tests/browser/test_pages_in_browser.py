"""The gallery in a real browser, from files: it works with mouse and keyboard, at two widths, and fetches nothing.

Without a browser, playwright and axe-playwright-python (see conftest.py) these tests are skipped.
"""

import os
from pathlib import Path

import pytest
from made_up_results import SCRIPT, write_results

from headwork.studies.gallery.pages import write_gallery
from headwork.studies.study import read_studies

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = ("index.html", "gallery/clark2019.html", "gallery/search.html", "gallery/importance.html")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The gallery of made-up results; HEADWORK_GALLERY names a folder of real ones to look at instead."""
    if given := os.environ.get("HEADWORK_GALLERY"):
        return Path(given).resolve()
    folder = tmp_path_factory.mktemp("results")
    studies = list(read_studies(root / "workflow/studies").values())
    claims = next(study for study in studies if study.key == "clark2019").claims
    shown = next(claim["claim"] for claim in claims if claim.get("shown_in") == ["figure2"])
    write_results(folder, {"A claim of the paper that holds.": shown})
    write_gallery(studies, root, folder)
    return folder


@pytest.fixture
def visit(open_page, results):
    """Opens a page of the gallery at a width."""
    return lambda page, size="desktop", **options: open_page(f"file://{results}/{page}", size, **options)


def visible(tab) -> list[str]:
    """The entries of the search page that are shown."""
    return tab.locator("#entries > li:visible").all_inner_texts()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_its_width_and_is_accessible(visit, check_page, page, look):
    check_page(visit(page, **look))


def test_a_dark_page_has_figures_on_white_and_is_printed_on_white(visit):
    tab = visit("gallery/clark2019.html", color_scheme="dark")

    def of(choice, name):
        return tab.locator(choice).first.evaluate(f"place => getComputedStyle(place)['{name}']")

    assert of("body", "background-color") == "rgb(20, 25, 31)"
    assert of("figure > a", "background-color") == "rgb(255, 255, 255)"
    tab.emulate_media(media="print")
    assert of("body", "background-color") == "rgb(255, 255, 255)"
    assert visit("index.html").locator(".bar span").first.evaluate(
        "place => getComputedStyle(place).printColorAdjust"
    ) == ("exact")


def test_a_figure_on_a_phone_keeps_its_size_and_is_scrolled(visit):
    tab = visit("gallery/clark2019.html", "phone")
    tab.locator("figure img").first.scroll_into_view_if_needed()
    tab.wait_for_function("document.querySelector('figure img').naturalWidth > 0")
    width, natural, room, whole = tab.locator("figure > a").first.evaluate(
        "place => [place.firstChild.clientWidth, place.firstChild.naturalWidth, place.clientWidth, place.scrollWidth]"
    )
    assert width == natural == whole > room


def test_one_goes_from_the_first_page_to_a_figure_and_back(visit):
    tab = visit("index.html")
    tab.locator(".thumb").first.click()
    tab.wait_for_url("**/gallery/*.html#*")
    figure = tab.locator("section:target img").first
    figure.scroll_into_view_if_needed()
    tab.wait_for_function("document.querySelector('section:target img').naturalWidth > 0")
    assert figure.get_attribute("alt")
    tab.locator(".brand").click()
    tab.wait_for_url("**/index.html")
    tab.locator(".list a", has_text="Clark").click()
    tab.wait_for_url("**/gallery/clark2019.html")
    assert "What Does BERT Look At?" in tab.locator("h1").inner_text()


def test_a_count_of_the_first_page_leads_to_the_claims_that_it_counts(visit):
    tab = visit("index.html")
    badge = tab.locator(".card a", has_text="not hold").first
    count = int("".join(filter(str.isdigit, badge.inner_text())))
    badge.click()
    tab.wait_for_url("**/search.html?*")
    tab.wait_for_function("document.getElementById('found').textContent")
    shown = visible(tab)
    assert len(shown) == count
    assert all("does not hold" in entry for entry in shown)


def test_filters_and_words_narrow_the_list_down(visit):
    tab = visit("gallery/search.html")
    tab.wait_for_function("document.getElementById('found').textContent")
    everything = len(visible(tab))
    tab.get_by_label("Verdict").select_option("does not hold")
    failing = visible(tab)
    assert 0 < len(failing) < everything
    tab.get_by_label("Kind").select_option("claim")
    assert 0 < len(visible(tab)) <= len(failing)
    assert tab.locator("#entries > li:visible:not([data-kind=claim])").count() == 0
    tab.get_by_role("button", name="Clear").click()
    tab.wait_for_function(f"document.getElementById('found').textContent.startsWith('{everything} of')")
    tab.get_by_label("Words").fill("entrop")  # the beginning of a word is enough
    found = visible(tab)
    assert 0 < len(found) < everything
    assert all("entropy" in entry.lower() for entry in found)
    tab.get_by_label("Words").fill("nosuchword")
    assert visible(tab) == []
    assert tab.locator("#found").inner_text() == f"0 of {everything} entries"
    assert "No entry has “nosuchword”" in tab.locator("#hint").inner_text()
    tab.get_by_label("Words").fill("entrpoy")
    tab.get_by_role("button", name="entropy").click()
    assert visible(tab) == found
    assert not tab.locator("#hint").is_visible()
    tab.get_by_label("Verdict").select_option("cannot be tested at this scale")
    tab.get_by_label("Kind").select_option("study")
    assert "not what is chosen beside them" in tab.locator("#hint").inner_text()


@pytest.mark.parametrize("words", ["Voita et al. 2019, figure 7", "voita2019_figure7"])
def test_an_item_that_is_named_comes_first(visit, words):
    tab = visit("gallery/search.html")
    everything = tab.locator("#entries > li").all_inner_texts()
    tab.get_by_label("Words").fill(words)
    first = tab.locator("#entries > li:visible").first
    assert first.locator("a").get_attribute("href") == "voita2019.html#figure7"
    tab.get_by_role("button", name="Clear").click()
    tab.wait_for_function(f"document.getElementById('found').textContent.startsWith('{len(everything)} of')")
    assert tab.locator("#entries > li").all_inner_texts() == everything


def test_words_are_found_in_both_spellings(visit):
    tab = visit("gallery/search.html")
    for words in ("specialised", "specialized"):
        tab.get_by_label("Words").fill(words)
        assert any("Specialized Heads" in entry for entry in visible(tab))


def test_the_search_box_of_every_page_works_with_the_keyboard(visit):
    tab = visit("gallery/clark2019.html", "phone")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    while tab.evaluate("document.activeElement.name") != "q":
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement !== document.body")
    tab.keyboard.type("pruning")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=pruning")
    tab.wait_for_function("document.getElementById('found').textContent")
    assert visible(tab)
    assert all("prun" in entry.lower() for entry in visible(tab))


def test_how_an_item_was_made_opens_with_the_keyboard(visit):
    tab = visit("gallery/clark2019.html")
    summary = tab.locator("#figure2 summary", has_text="How it was made").first
    summary.focus()
    tab.keyboard.press("Enter")
    assert "workflow/studies/clark2019/figure2.py" in tab.locator("#figure2 .made").first.inner_text()


@pytest.mark.skipif("HEADWORK_GALLERY" in os.environ, reason="real results have no script in their notes")
def test_a_script_in_a_note_is_shown_and_does_not_run(visit):
    for page in ("gallery/clark2019.html", "gallery/search.html"):
        tab = visit(page)
        assert tab.evaluate("window.broken") is None
        assert SCRIPT in tab.locator("main").inner_text()
