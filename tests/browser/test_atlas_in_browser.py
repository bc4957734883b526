"""The page of a head atlas in a real browser, from its file: it works with mouse and keyboard, and fetches nothing."""

import csv
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from tiny_bert import tiny_bert, tiny_marian, word_tokenizer
from transformers import GPT2Config, GPT2LMHeadModel

import headwork
from headwork.head_atlas import texts
from headwork.settings.atlas import AtlasSettings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SMALL = AtlasSettings(sentences=60, gradients=2, removed=2, shown=2, longest=16)
SCRIPT = "<script>window.broken=1</script>"
VIEWS = (
    "",
    "#overview?does=previous",
    "#encoder-1-2",
    "#encoder-1-1~encoder-2-2",
    "#encoder-2-1?text=2&view=norms&level=token",
)


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    """An encoder beside another, on a text with trees and with a script in a sentence."""
    text = texts.world(60, seed=1)
    words = word_tokenizer(sorted({word for line in text.lines for word in line.split()} | {SCRIPT}))
    models = [tiny_bert(words, max_position_embeddings=64, num_attention_heads=heads) for heads in (4, 4)]
    for parameter in models[1].parameters():
        parameter.data *= 3
    found = headwork.atlas(models[0], tokenizer=words, compare=models[1], name=SCRIPT, settings=SMALL)
    found.shown[0]["text"] = f"{SCRIPT} the"
    path = found.save(tmp_path_factory.mktemp("atlas") / "atlas.html")
    return replace(found), f"file://{path}"


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_fits_its_width_and_is_accessible(open_page, check_page, atlas, view, look):
    tab = open_page(atlas[1] + view, **look)
    assert tab.locator("h2").first.is_visible()
    check_page(tab)
    assert tab.evaluate("window.broken") is None


def test_shares_have_one_scale_however_small_they_are(open_page, atlas):
    """Heads of a random model are pale: the greatest of small shares is not the darkest colour."""
    tab = open_page(f"{atlas[1]}#overview?measure=previous")
    own = atlas[0].models[0].measured.table.query("measure == 'previous'")["value"]
    assert own.max() < 0.3
    legend = tab.locator(".legend").first.inner_text()
    assert legend.split()[:2] == ["0.00", "1.00"]
    assert (
        f"the range of a share; these heads: {own.min():.2f} to {own.max():.2f}; uniform attention: "
        in legend
    )
    fills = tab.locator("main figure svg a rect").evaluate_all(
        "cells => cells.map(cell => cell.getAttribute('fill'))"
    )
    assert min(sum(map(int, fill[4:-1].split(","))) for fill in fills) > 3 * 150


def test_other_measures_have_a_scale_to_the_greatest_value_of_both_models(open_page, atlas):
    tab = open_page(f"{atlas[1]}#overview?measure=entropy")
    most = max(model.measured.table.query("measure == 'entropy'")["value"].max() for model in atlas[0].models)
    for model in ("0", "1"):
        tab.get_by_label("Model").select_option(model)
        legend = tab.locator(".legend").first.inner_text()
        assert legend.split()[:2] == ["0.00", f"{most:.2f}"]
        assert "to the greatest value" in legend


def test_a_dark_page_is_printed_in_the_colours_of_a_light_one(open_page, atlas):
    light, dark = (open_page(atlas[1], color_scheme=scheme) for scheme in ("light", "dark"))
    fills = (
        "[...document.querySelectorAll('main figure svg rect')].map(cell => cell.getAttribute('fill')).join()"
    )
    on_light, on_dark = (tab.evaluate(fills) for tab in (light, dark))
    assert on_light != on_dark
    dark.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert dark.evaluate(fills) == on_light
    scale = dark.locator(".legend i").first.evaluate("place => getComputedStyle(place).printColorAdjust")
    assert scale == "exact"
    dark.evaluate("dispatchEvent(new Event('afterprint'))")
    assert dark.evaluate(fills) == on_dark


def test_headings_of_tables_are_not_broken_within_words(open_page, atlas):
    for view in ("", "#encoder-1-2", "#encoder-1-1~encoder-2-2", "#overview?does=previous"):
        tab = open_page(atlas[1] + view, "phone")
        broken = tab.evaluate(
            """[...document.querySelectorAll('thead th')].filter((cell) => {
              const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
              if (!text || /\\s|model/i.test(cell.textContent)) return false;
              const range = document.createRange();
              range.selectNodeContents(text);
              return range.getClientRects().length > 1;
            }).map((cell) => cell.textContent)"""
        )
        assert broken == []


def test_a_script_is_shown_and_does_not_run(open_page, atlas):
    tab = open_page(f"{atlas[1]}#encoder-1-1")
    assert SCRIPT in tab.locator("h1").inner_text()
    assert SCRIPT in tab.get_by_label("Sentence", exact=True).inner_text()
    assert tab.evaluate("window.broken") is None


def test_a_head_is_chosen_with_the_mouse_and_with_the_keyboard(open_page, atlas):
    tab = open_page(atlas[1])
    tab.locator('svg a[aria-label^="encoder 2-3:"]').click()
    tab.wait_for_url("**#encoder-2-3")
    tab.get_by_role("heading", name="Encoder 2-3").wait_for()
    assert tab.locator("h2").count() == 1
    assert tab.evaluate("document.activeElement.tagName") == "H2"
    tab.go_back()
    tab.locator("svg a[tabindex='0']").first.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_url("**#encoder-2-2")
    tab.get_by_role("heading", name="Encoder 2-2").wait_for()
    assert tab.locator("h2").count() == 1


def test_a_view_has_an_address(open_page, atlas):
    tab = open_page(f"{atlas[1]}#encoder-1-2")
    tab.get_by_label("Show", exact=True).select_option("norms")
    tab.get_by_label("Between").select_option("token")
    address = tab.url
    again = open_page(address)
    assert again.get_by_label("Show", exact=True).input_value() == "norms"
    assert again.get_by_label("Between").input_value() == "token"
    tab.get_by_label("Compare with").select_option("encoder-2-1")
    tab.wait_for_url("**#encoder-1-2~encoder-2-1")


def test_what_was_not_measured_is_said(open_page, tmp_path):
    """AttnLRP has no rule for GPT-2's activation."""
    words = word_tokenizer(sorted({word for line in texts.world(60, seed=1).lines for word in line.split()}))
    config = GPT2Config(vocab_size=len(words), n_positions=64, n_embd=16, n_layer=2, n_head=2)
    made = headwork.atlas(GPT2LMHeadModel(config), tokenizer=words, settings=SMALL)
    path = made.save(tmp_path / "atlas.html")
    tab = open_page(f"file://{path}#overview?measure=relevance")
    assert tab.get_by_text("Not measured.").is_visible()
    tab = open_page(f"file://{path}#decoder-1-1")
    row = tab.get_by_role("row").filter(has_text="Relevance, AttnLRP")
    assert "not measured" in row.inner_text()


def test_numbers_are_saved_as_the_table_has_them(open_page, atlas):
    tab = open_page(f"{atlas[1]}#overview?measure=entropy")
    with tab.expect_download() as saved:
        tab.get_by_role("button", name="Save encoder-entropy as CSV").click()
    rows = list(csv.DictReader(saved.value.path().open()))
    table = atlas[0].models[0].measured.table
    own = table[table["measure"] == "entropy"]
    assert [int(row["head"]) for row in rows] == own["head"].tolist()
    assert np.allclose([float(row["value"]) for row in rows], own["value"], rtol=1e-5)


def test_a_map_is_saved_as_svg_and_csv(open_page, atlas):
    tab = open_page(f"{atlas[1]}#encoder-1-1?level=token")
    for part in ("matrix", "lines"):
        with tab.expect_download() as saved:
            tab.get_by_role("button", name=f"Save encoder-1-1-text-1-weights-{part} as SVG").first.click()
        drawn = ElementTree.parse(saved.value.path()).getroot()
        assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
        assert "[CLS]" in "".join(drawn.itertext())
    with tab.expect_download() as saved:
        tab.get_by_role("button", name="Save encoder-1-1-text-1-weights-matrix as CSV").first.click()
    rows = list(csv.DictReader(saved.value.path().open()))
    sums = {}
    for row in rows:
        sums[row["from_place"]] = sums.get(row["from_place"], 0) + float(row["value"])
    assert np.allclose(list(sums.values()), 1, atol=0.03)


def test_the_list_of_heads_is_sorted_by_score(open_page, atlas):
    tab = open_page(atlas[1])
    tab.get_by_label("Show heads that attend to").select_option("next")
    scores = [float(text) for text in tab.locator(".scroll td.number").all_inner_texts()]
    assert len(scores) == 8
    assert scores == sorted(scores, reverse=True)


def test_the_second_model_and_the_difference_are_shown(open_page, atlas):
    tab = open_page(f"{atlas[1]}#overview?measure=entropy")
    first, second = (
        model.measured.table.query("measure == 'entropy' and layer == 2 and head == 1")["value"].item()
        for model in atlas[0].models
    )
    cell = tab.locator('svg a[aria-label^="encoder 2-1:"]')
    assert cell.get_attribute("aria-label").endswith(f"{first:.2f}")
    tab.get_by_label("Model").select_option("difference")
    shown = cell.get_attribute("aria-label").rsplit(" ", 1)[1].replace("−", "-")
    assert float(shown) == pytest.approx(second - first, abs=0.006)


def test_a_translation_model_has_three_grids_and_attributions(open_page, check_page, tmp_path):
    lines = [line for line in texts.world(60, seed=1).lines if len(line.split()) < 12]
    words = word_tokenizer(sorted({word for line in lines for word in line.split()}))
    for name in ("source.txt", "target.txt"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    pair = (tmp_path / "source.txt", tmp_path / "target.txt")
    page = headwork.atlas(tiny_marian(words), tokenizer=words, pair=pair, settings=SMALL).save(
        tmp_path / "a.html"
    )
    tab = open_page(f"file://{page}")
    assert tab.locator("main figure").count() == 3
    tab = open_page(f"file://{page}#cross-1-2?view=attribution")
    assert tab.get_by_label("Show", exact=True).input_value() == "attribution"
    check_page(tab)
