"""What a study's items and claims read at a scale."""

import pytest

from headwork.errors import InputError

STUDY = "voita2019"


def test_tables_are_of_runs_corpora_or_the_study(studied) -> None:
    heads = "<results>/heads"
    assert studied.item_tables(STUDY, "figure4") == {
        "functions": [f"{heads}/base.functions.csv", f"{heads}/real.functions.csv"]
    }
    assert studied.item_tables(STUDY, "figure3") == {
        "relations": ["<results>/parses/world/test.relations.csv"]
    }
    assert studied.item_tables(STUDY, "figure7")["sweeps"] == f"<results>/pruning/{STUDY}.runs.csv"
    pruned = [{"run": "base", "method": "baseline"}, {"run": "e4", "method": "gates"}]
    assert studied.table_files("gates", STUDY, pruned) == ["<results>/models/e4/gates.csv"]


def test_a_run_in_two_roles_of_an_item_has_a_file_for_each(studied, config) -> None:
    config["studies"][STUDY]["runs"]["news"]["EN-DE"] = "base"
    shown = [run["run"] for run in studied.item_runs(STUDY, "figure4")]
    assert shown == ["base", "base"]
    assert studied.item_tables(STUDY, "figure4")["functions"] == ["<results>/heads/base.functions.csv"] * 2


def test_items_without_runs_are_not_made(studied) -> None:
    made = [item.key for item in studied.made_items(STUDY)]
    assert {"figure3", "figure6", "figure7"} <= set(made)
    assert not {"figure1", "figure8"} & set(made), "they show subtitles, which no run is trained on"
    files = studied.items_of(STUDY)
    assert files == studied.all_items()
    assert len(files) == 3 * len(made) + 1, "and the verdicts"
    assert f"<results>/studies/{STUDY}/claims.csv" in files


def test_sweeps_and_the_runs_whose_heads_are_removed(studied) -> None:
    assert [(run["run"], run["method"], run["target"]) for run in studied.sweeps(STUDY)] == [
        ("base", "baseline", None), ("e6", "gates", 6), ("e4", "gates", 4), ("again", "scratch", None),
    ]  # fmt: skip
    assert studied.removed(STUDY) == ["e6", "e4"]
    files = studied.sweep_files(STUDY)
    assert files["gates"] == [f"<results>/models/{run}/gates.csv" for run in ("e6", "e4", "again")]
    assert files["speed"] == [f"<results>/pruning/{run}/speed.json" for run in ("e6", "e4")]


def test_a_role_of_which_no_item_shows_a_sweep_adds_none(studied, config) -> None:
    before = studied.sweeps(STUDY), studied.item_runs(STUDY, "figure7")
    config["studies"][STUDY]["runs"]["training"] = {"EN-RU": "base"}
    assert (studied.sweeps(STUDY), studied.item_runs(STUDY, "figure7")) == before


def test_a_crate_has_the_records_of_all_models_that_its_own_started_from(studied) -> None:
    runs = ("base", "real", "lm", "e6", "e4", "again")
    assert sorted(studied.crated_runs(STUDY)) == sorted(f"<results>/models/{run}/run.json" for run in runs)


def test_controls_have_other_probes(studied) -> None:
    assert studied.tag_settings("lm")["probes"] == 2
    assert studied.tag_settings("base")["probes"] == 5
    assert "untrained_probes" not in studied.tag_settings("base")


def test_a_run_that_no_sheet_has(studied, config) -> None:
    config["studies"][STUDY]["runs"]["news"]["EN-RU"] = "bse"
    place = r"voita2019/study\.yaml:\d+: `scales\.miniature\.runs\.news\.EN-RU`"
    with pytest.raises(InputError, match=f"{place}: no run 'bse' in the run sheets"):
        studied.items_of(STUDY)
