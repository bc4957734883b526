"""Claims about relevance and pruning: by hand on made-up tables; the published tables must give the paper's figures."""

import claims_by_hand
import numpy as np
import pandas as pd
import pytest
import yaml
from claims_by_hand import judged as judge
from claims_by_hand import published_of, study_of
from made_up import PAPER, functions, labels, relevance, sweep
from studies.voita2019.claims import mean_place

from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def verdict(tables, test, select=None, **parameters):
    return claims_by_hand.verdict("voita2019", test, tables, select, **parameters)


def as_tables(runs, heads, **more):
    return {"sweeps": runs, "kept": heads} | more


# Relevance.


def holding(*places):
    """A table of functions in which only these (layer, head, function) hold."""
    table = functions()
    marks = zip(table["layer"], table["head"], table["function"], strict=True)
    return table.assign(holds=[place in places for place in marks])


def test_places_run_from_the_first_to_the_last_of_a_layer():
    values = np.array([[0.5, 0.3, 0.2, 0.1, 0.9], [0.1, 0.3, 0.2, 0.9, 0.1]])
    layers = np.array([1, 1, 1, 2, 2])
    chosen = np.array([False, True, False, False, False])
    assert mean_place(values, layers, chosen).tolist() == [0.5, 0.0]
    assert mean_place(values, layers, np.array([True, False, False, True, False])).tolist() == [0.5, 0.5]


def test_uneven_relevance_is_a_multiple_of_an_equal_share():
    row = verdict({"relevance": relevance()}, "uneven_relevance", times=1.2)
    assert row["ours"] == pytest.approx(8 * 15 / 92)
    assert (row["n"], row["verdict"]) == (4000, HOLDS)
    assert row["low"] > 1.2
    assert row["note"] == "news-ru-s1, encoder 1-1; the least relevant has 0.70"
    # 1.30 is above an equal share, and far from 1.6 times one
    assert verdict({"relevance": relevance()}, "uneven_relevance", times=1.6)["verdict"] == FAILS


@pytest.mark.parametrize("count", [50, 4000, 10**6])
def test_a_flat_layer_is_not_uneven(count):
    (claim,) = claims_of("uneven_relevance")
    assert f"at least {claim['parameters']['times']} times an equal share" in claim["claim"]
    # a head is a little above the others, which with so many steps is beyond chance
    flat = relevance(domain="subtitles").assign(value=1 / 8, count=count)
    flat.loc[flat["head"] == 1, "value"] += 0.005
    assert judge("voita2019", [claim], {"relevance": flat})["verdict"].tolist() == [FAILS]


def test_an_estimate_that_reaches_the_factor_by_chance_does_not_do():
    few = relevance().assign(count=100)
    row = verdict({"relevance": few}, "uneven_relevance", times=1.2)
    assert row["low"] < 1.2 < row["ours"]
    assert row["verdict"] == FAILS


def test_the_rare_head_must_be_the_first_of_its_layer():
    first, second = holding((1, 1, "rare"), (2, 8, "rare")), holding((1, 2, "rare"))
    settings = {"functions": ["rare"], "layer": 1}
    row = verdict({"relevance": relevance(), "functions": first}, "most_relevant_of_layer", **settings)
    assert (row["ours"], row["verdict"]) == (0, HOLDS)
    row = verdict({"relevance": relevance(), "functions": second}, "most_relevant_of_layer", **settings)
    assert (row["ours"], row["verdict"]) == (pytest.approx(1 / 7), FAILS)
    row = verdict({"relevance": relevance(), "functions": holding()}, "most_relevant_of_layer", **settings)
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "no head of layer 1 of news-ru-s1 has such a function"


def test_the_places_of_figure_1_are_the_published_ones():
    """Heads sorted by relevance as published, with made-up relevance in that order."""
    grid = published_of("voita2019", "figure1").astype({"layer": int, "place": int})
    shares = relevance(layers=6, heads=8, domain="subtitles")
    table = functions(layers=6, heads=8, domain="subtitles")
    held = set(zip(grid["layer"], grid["place"], grid["function"], strict=True))
    marks = zip(table["layer"], table["head"], table["function"], strict=True)
    tables = {"relevance": shares, "functions": table.assign(holds=[mark in held for mark in marks])}
    published = {claim["claim"]: claim["published"] for claim in claims_of("before_the_middle")}
    judged = judge("voita2019", claims_of("before_the_middle"), tables)
    assert len(judged) == 2
    for _, row in judged.iterrows():
        assert row["ours"] == pytest.approx(published[row["claim"]], abs=0.005)
        assert row["verdict"] == HOLDS
    rare = [each for each in claims_of("most_relevant_of_layer") if each["select"]["domain"] == "subtitles"]
    assert judge("voita2019", rare, tables)["verdict"].tolist() == [HOLDS]


# Pruning, by hand. The sweep of `made_up` keeps the share 1 - i/6 and loses i² / 4 BLEU, other seeds 0.3 more each.


def test_bleu_lost_at_the_point_nearest_to_a_share():
    tables = as_tables(*sweep(seeds=(1, 2, 3)))
    row = verdict(tables, "bleu_lost", share=0.5, at_most=2)
    assert row["ours"] == pytest.approx(2.55)
    # half widths: 1 of the baseline; 1 and 4.303 x 0.3 / sqrt 3 of the three seeds
    half = np.hypot(1, np.hypot(1, 4.3027 * 0.3 / np.sqrt(3)))
    assert row["high"] - row["ours"] == pytest.approx(half, abs=1e-3)
    assert (row["n"], row["verdict"]) == (3, FAILS)  # though the interval reaches down to 1.3
    assert row["low"] < 2
    assert row["note"].startswith("8 of 16 heads")
    assert verdict(tables, "bleu_lost", share=0.5, at_most=2.6)["verdict"] == HOLDS


def test_a_share_that_no_point_is_near_to_is_not_judged():
    runs, heads = sweep()
    coarse = ~runs["run"].str.contains("p[3-5]")
    row = verdict(as_tables(runs[coarse], heads), "bleu_lost", share=0.4, at_most=0.15)
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "no point of the sweep keeps about 40% of the heads; the nearest 75%"
    row = verdict(as_tables(*sweep(gates="all")), "bleu_lost", share=0.5, at_most=0.15)
    assert row["note"] == "no run was pruned by gates in encoder"
    assert verdict({}, "bleu_lost", share=0.5, at_most=0.15)["note"] == "the table sweeps was not made"


def three_pruned(*kept):
    """A sweep in all attentions whose three pruned models keep so many of 8 cross heads a layer, 2 of others."""
    runs, heads = sweep(PAPER, "all", points=3)
    for point, number in enumerate(kept, start=1):
        own = heads["run"] == f"news-ru-s1-all-p{point}-s1"
        heads.loc[own, "kept"] = 2
        heads.loc[own & (heads["kind"] == "cross"), "kept"] = number
    return runs, heads


def test_kinds_of_which_more_is_kept():
    tables = as_tables(*three_pruned(6, 5, 4))
    row = verdict(tables, "kept_more", more=["cross"], less=["decoder"])
    # differences of 4, 3 and 2 of 8 heads
    assert row["ours"] == pytest.approx(3 / 8)
    assert row["high"] - row["ours"] == pytest.approx(4.3027 * (1 / 8) / np.sqrt(3), abs=1e-4)
    assert (row["n"], row["verdict"]) == (3, HOLDS)
    assert row["note"] == "0.62 against 0.25; n is the number of pruned runs"
    assert verdict(tables, "kept_more", more=["decoder"], less=["cross"])["verdict"] == FAILS
    row = verdict(tables, "kept_more", more=["decoder", "cross"], less=["encoder"])
    assert row["ours"] == pytest.approx(3 / 16)


def test_heads_of_one_model_are_no_trials_of_their_own():
    # one model alone keeps more: 48 of its 96 heads, which as trials of their own would be far beyond chance
    tables = as_tables(*three_pruned(8, 2, 2))
    row = verdict(tables, "kept_more", more=["cross"], less=["decoder"])
    assert row["ours"] == pytest.approx(0.25)
    assert row["low"] < 0
    assert (row["n"], row["verdict"]) == (3, FAILS)


def test_models_that_keep_as_many_of_both_do_not_keep_more():
    row = verdict(as_tables(*three_pruned(2, 2, 2)), "kept_more", more=["cross"], less=["decoder"])
    assert (row["ours"], row["low"], row["high"], row["verdict"]) == (0, 0, 0, FAILS)
    assert not np.signbit(row["ours"])


def test_one_pruned_model_is_not_judged():
    runs, heads = three_pruned(8, 2, 2)
    one = runs["method"].eq("baseline") | runs["run"].eq("news-ru-s1-all-p1-s1")
    row = verdict(as_tables(runs[one], heads), "kept_more", more=["cross"], less=["decoder"])
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "of a single pruned model no interval is known"


def test_the_end_of_the_decoder_of_which_more_is_kept():
    runs, heads = three_pruned(2, 2, 2)
    for point, number in enumerate((8, 7, 6), start=1):
        run = f"news-ru-s1-all-p{point}-s1"
        upper = (heads["run"] == run) & (heads["kind"] == "cross") & (heads["layer"] >= 5)
        heads.loc[upper, "kept"] = number
    row = verdict(as_tables(runs, heads), "layers_kept_more", kind="cross", more="upper")
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(5 / 8), 3, HOLDS)
    assert row["high"] - row["ours"] == pytest.approx(4.3027 * (1 / 8) / np.sqrt(3), abs=1e-4)
    row = verdict(as_tables(runs, heads), "layers_kept_more", kind="cross", more="lower")
    assert (row["ours"], row["verdict"]) == (pytest.approx(-5 / 8), FAILS)
    shallow = sweep({"encoder": (4, 4), "decoder": (1, 4), "cross": (1, 4)}, "all")
    row = verdict(as_tables(*shallow), "layers_kept_more", kind="cross", more="upper")
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "the models have one layer of decoder-encoder attention"


def test_pruned_models_against_ones_from_scratch():
    tables = as_tables(*sweep(gates="all", scratch=[(1, 1), (2, 1)]))
    row = verdict(tables, "trained_beats_scratch")
    assert row["ours"] == pytest.approx(1)
    assert row["high"] - row["ours"] == pytest.approx(np.sqrt(2))
    assert (row["n"], row["verdict"]) == (2, FAILS)  # within chance
    runs, heads = sweep(gates="all", scratch=[(1, 1), (2, 1)])
    runs.loc[runs["method"] == "scratch", ["bleu", "low", "high"]] -= 1
    assert verdict(as_tables(runs, heads), "trained_beats_scratch")["verdict"] == HOLDS
    # nor a sweep in all attentions
    assert verdict(as_tables(*sweep()), "trained_beats_scratch")["verdict"] == UNTESTABLE
    row = verdict(as_tables(*sweep(gates="all")), "trained_beats_scratch")
    assert row["note"] == "no run was trained from scratch with the heads of a pruned one"


def pruned(*kept_functions):
    """A sweep of the encoder whose runs hold these functions at point 3, with 8 of 16 heads; one set a seed."""
    before = [(1, 1, "positional/-1"), (2, 1, "rare"), (3, 1, "syntactic/obj/to-head"), (3, 1, "rare")]
    runs, heads = sweep(seeds=range(1, len(kept_functions) + 1))

    def table(run, places):
        every = functions(layers=4, heads=4)
        marks = zip(every["layer"], every["head"], every["function"], strict=True)
        return every.assign(run=run, holds=[mark in places for mark in marks])

    tables, gates = [table("news-ru-s1", before)], []
    for seed, places in enumerate(kept_functions, start=1):
        run = f"news-ru-s1-encoder-p3-s{seed}"
        # closed heads hold functions too, which must not count
        tables.append(table(run, [*places, (4, 4, "rare"), (4, 4, "positional/-1")]))
        spots = [(layer, head) for layer in range(1, 5) for head in range(1, 5)]
        kept = [head <= 2 for _, head in spots]
        gates.append(
            pd.DataFrame(spots, columns=["layer", "head"]).assign(run=run, kind="encoder", kept=kept)
        )
    return as_tables(runs, heads, pruned_functions=pd.concat(tables), gates=pd.concat(gates))


ALL_THREE = [(1, 1, "positional/-1"), (1, 2, "rare"), (2, 2, "syntactic/obj/to-head")]


def test_functions_that_kept_heads_hold_still():
    row = verdict(pruned(ALL_THREE), "functions_kept", share=0.5, at_least=1)
    assert (row["ours"], row["n"], row["verdict"]) == (1, 3, HOLDS)
    row = verdict(pruned(ALL_THREE, ALL_THREE[1:]), "functions_kept", share=0.5, at_least=1)
    assert (row["ours"], row["verdict"]) == (pytest.approx(2 / 3), FAILS)  # of two seeds the worse
    assert row["note"] == "news-ru-s1-encoder-p3-s2 lost positional/-1"


def test_heads_with_functions_outlast_others():
    row = verdict(pruned(ALL_THREE, ALL_THREE), "functions_outlast", share=0.5)
    assert row["ours"] == pytest.approx(6 / 16 - 3 / 16)
    assert row["note"] == "6 of 16 heads left, 3 of 16 before"
    assert row["verdict"] == FAILS  # so few heads may differ by chance
    everywhere = [(layer, head, "rare") for layer in range(1, 5) for head in (1, 2)]
    row = verdict(pruned(everywhere, everywhere), "functions_outlast", share=0.5)
    assert (row["ours"], row["verdict"]) == (pytest.approx(1 - 3 / 16), HOLDS)


# The published tables, put through our tests, give the published figures of our claims.


def claims_of(*tests):
    return [claim for claim in study_of("voita2019").claims if claim["test"] in tests]


def published_sweeps():
    """Figures 7, 9, 10 and table 2 as if they were this run's: BLEU without error, the paper's heads."""
    runs, heads = [], []
    roles = {domain: labels(domain=domain) for domain in ("news", "subtitles")}
    blank = {
        "low": np.nan,
        "high": np.nan,
        "seed": 1,
        "penalty": 0.0,
        "target": np.nan,
        "heads": 144,
        "kept": 0,
    }

    def add(domain, run, method, gates, of, bleu, kept, **more):
        own = roles[domain] | blank | {"run": run, "method": method, "gates": gates, "of": of, "bleu": bleu}
        runs.append(own | {"low": bleu, "high": bleu} | more)
        heads.extend(
            (run, kind, layer, 8 * len(layers.split("+")), number) for kind, layer, layers, number in kept
        )

    encoder = published_of("voita2019", "figure7").astype({"kept": int})
    for _, row in encoder.iterrows():
        full = row["kept"] == 48
        run, base = f"{row['domain']}-encoder-{row['kept']}", roles[row["domain"]]["run"]
        spread = [
            ("encoder", 1, "1+2+3+4+5+6", row["kept"]),
            *((kind, 1, "1+2+3+4+5+6", 48) for kind in ("decoder", "cross")),
        ]
        if full:
            add(row["domain"], base, "baseline", "encoder", "", row["value"], spread)
        else:
            add(row["domain"], run, "gates", "encoder", base, row["value"], spread, target=float(row["kept"]))
    nine = published_of("voita2019", "figure9")
    ten = published_of("voita2019", "figure10")
    for (domain, lost), rows in nine[nine["pruned"] != "0"].groupby(["domain", "pruned"], sort=False):
        kept = [(row["kind"], 1, "1+2+3+4+5+6", row["value"]) for _, row in rows.iterrows()]
        if domain == "news":
            parts = ten[ten["pruned"] == lost]
            # a pair's heads stand in its lower layer: the pair is what counts
            kept = [entry for entry in kept if entry[0] == "encoder"] + [
                (row["kind"], int(row["layers"][0]) + both, "1", row["value"] / 2)
                for _, row in parts.iterrows()
                for both in (0, 1)
            ]
        name, base = f"{domain}-all-{lost}", roles[domain]["run"]
        add(domain, name, "gates", "all", base, 29.0, kept, target=144.0 - float(lost))
    return pd.DataFrame(runs), pd.DataFrame(heads, columns=["run", "kind", "layer", "heads", "kept"])


def test_published_sweeps_give_the_published_figures():
    tables = as_tables(*published_sweeps())
    chosen = claims_of("bleu_lost", "kept_more", "layers_kept_more")
    judged = judge("voita2019", chosen, tables)
    assert len(judged) == 8
    assert judged["ours"].tolist() == pytest.approx(judged["published"].tolist(), abs=0.0051)
    assert (judged["ours"] > 0).all()


def test_runs_from_scratch_are_trained_as_long_as_the_pruned(root):
    config = yaml.safe_load((root / "config/config.yaml").read_text())
    sheet = pd.read_csv(root / "workflow/studies/voita2019/runs.tsv", sep="\t", comment="#")
    sheet = sheet[sheet["scale"] == "miniature"].set_index("run")
    steps = {run: config["recipes"][recipe].get("steps") for run, recipe in sheet["recipe"].items()}
    scratch = sheet[sheet["gates"].str.startswith("mask:") & sheet["init_run"].isna()]
    assert len(scratch) == 2
    for run, gates in scratch["gates"].items():
        path = [gates.removeprefix("mask:")]
        while isinstance(start := sheet.loc[path[-1], "init_run"], str):
            path.append(start)
        assert steps[run] == sum(steps[each] for each in path)


def test_published_table2_gives_the_published_figures():
    table = published_of("voita2019", "table2")
    runs = []
    for _, row in table[table["method"] != "baseline"].iterrows():
        name = f"{row['domain']}-{row['encoder']}"
        own = (
            {"run": f"{name}-scratch", "of": name}
            if row["method"] == "scratch"
            else {"run": name, "of": "base"}
        )
        facts = own | {"gates": "all"}
        facts |= {"method": row["method"], "bleu": row["value"], "low": row["value"], "high": row["value"]}
        runs.append(labels(domain=row["domain"]) | facts | {"seed": 1, "kept": 0})
    runs = pd.DataFrame(runs)
    heads = runs[["run"]].assign(kind="encoder", layer=1, heads=48, kept=1)
    judged = judge("voita2019", claims_of("trained_beats_scratch"), as_tables(runs, heads))
    assert judged["ours"].tolist() == pytest.approx(judged["published"].tolist(), abs=0.0051)
    assert set(judged["verdict"]) == {HOLDS}


def test_published_stacks_give_the_published_figure():
    table = published_of("voita2019", "figure8")
    share = {
        kept: rows.loc[rows["group"] != "none", "value"].sum() / rows["value"].sum()
        for kept, rows in table.groupby("kept")
    }
    (claim,) = claims_of("functions_outlast")
    assert share["17"] - share["48"] == pytest.approx(claim["published"], abs=0.005)
    assert claim["parameters"]["share"] == pytest.approx(17 / 48, abs=0.001)
