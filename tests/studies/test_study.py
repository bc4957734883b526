"""Studies as data: items find their runs at every scale, and the table of all items follows from them."""

import pytest
from claims_by_hand import FOLDER, study_of

from headwork.errors import InputError
from headwork.studies.runs import can_be_made, claim_runs, item_runs, study_runs, sweep_runs, with_seeds
from headwork.studies.study import read_studies, read_study

SETTINGS = {
    "runs": {"news": {"EN-RU": "news-karvan-s1"}, "subtitles": {"EN-RU": "subtitles-karvan-s1"}},
    "untrained": {"news": {"EN-RU": "news-karvan-untrained"}},
    "shown_as": {"EN-RU": "Karvan (for EN-RU)"},
}


NEWS = "news-karvan-s1"
COLUMNS = ("run", "init_run", "gates", "seed", "penalty", "target")
SHEET = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (
        (NEWS, None, "none", 1, 0.0, None),
        ("subtitles-karvan-s1", None, "none", 1, 0.0, None),
        ("news-karvan-untrained", None, "none", 1, 0.0, None),
        ("encoder-1", NEWS, "encoder", 1, 0.01, None),
        ("all-1", NEWS, "all", 1, 0.0, 12),
        ("all-1-scratch", None, "mask:all-1", 1, 0.0, None),
        ("all-1-tuned", NEWS, "mask:all-1", 1, 0.0, None),  # a mask, but not from scratch
        ("encoder-scratch", None, "encoder", 1, 0.01, None),  # gates, but from no trained model
        ("untrained-1", "news-karvan-untrained", "encoder", 1, 0.01, None),
    )
]


@pytest.fixture
def study():
    return study_of("voita2019")


def test_every_item_has_its_module_and_published_numbers_and_each_of_them_an_item():
    beside = {"claims", "tables", "drawings", "__init__"}
    for key, study in read_studies(FOLDER).items():
        modules = {path.stem for path in (FOLDER / key).glob("*.py")} - beside
        assert modules == {item.key for item in study.items}, key
        files = {path.stem for path in (FOLDER / key / "published").glob("*.csv")}
        assert files == {file for item in study.items for file in item.published.values()}, key


def test_runs_carry_the_paper_s_names_and_ours():
    runs = study_runs(SETTINGS)
    assert [run["run"] for run in runs] == ["news-karvan-s1", "subtitles-karvan-s1", "news-karvan-untrained"]
    assert [run["trained"] for run in runs] == [True, True, False]
    assert runs[0]["label"] == "Karvan (for EN-RU)"
    assert study_runs({"runs": SETTINGS["runs"]})[0]["label"] == "EN-RU"


def test_an_item_is_made_of_the_runs_that_the_scale_has(study):
    items = {item.key: item for item in study.items}
    assert [run["run"] for run in item_runs(items["table1"], SETTINGS)] == [
        "news-karvan-s1",
        "subtitles-karvan-s1",
    ]
    assert [run["run"] for run in item_runs(items["figure4"], SETTINGS)] == ["news-karvan-s1"]
    assert item_runs(items["figure2"], SETTINGS) == []


def test_a_sweep_is_found_in_the_run_sheet():
    names = "run", "method", "gates", "of"
    assert [tuple(run[name] for name in names) for run in sweep_runs(SETTINGS, SHEET)] == [
        (NEWS, "baseline", "encoder", ""),
        ("encoder-1", "gates", "encoder", NEWS),
        (NEWS, "baseline", "all", ""),
        ("all-1", "gates", "all", NEWS),
        ("all-1-scratch", "scratch", "all", "all-1"),
    ]
    assert {run["label"] for run in sweep_runs(SETTINGS, SHEET)} == {"Karvan (for EN-RU)"}
    assert sweep_runs(SETTINGS, SHEET[:3]) == []


def test_a_sweep_may_go_from_point_to_point():
    """Each point starts from the one before; all belong to the run that the first one started from."""
    first = next(row for row in SHEET if row["run"] == "encoder-1")
    last = first | {"run": "encoder-2", "init_run": "encoder-1", "target": 1}
    found = [run for run in sweep_runs(SETTINGS, [*SHEET, last]) if run["gates"] == "encoder"]
    assert [(run["run"], run["of"]) for run in found] == [
        (NEWS, ""),
        ("encoder-1", NEWS),
        ("encoder-2", NEWS),
    ]


def with_pruned(item, settings, sheet):
    """The runs of an item that shows pruned runs beside their baselines."""
    return [run["run"] for run in item_runs(item.model_copy(update={"also": ("pruned",)}), settings, sheet)]


def test_an_item_with_a_sweep_is_made_of_the_runs_that_were_pruned(study):
    items = {item.key: item for item in study.items}
    assert [run["run"] for run in item_runs(items["figure7"], SETTINGS, SHEET)] == [NEWS]
    assert item_runs(items["figure8"], SETTINGS, SHEET) == []  # it is of subtitles
    assert with_pruned(items["figure7"], SETTINGS, SHEET) == [NEWS, "encoder-1"]
    assert with_pruned(items["figure9"], SETTINGS, SHEET) == [
        NEWS,
        "all-1",
    ]  # not what was trained from scratch
    assert items["table2"].sweeps == ("all",)
    possible = {key for key, item in items.items() if can_be_made(item, SETTINGS, SHEET)}
    assert possible == set(items) - {"figure2", "figure8"}
    assert "figure6" in {key for key, item in items.items() if can_be_made(item, {"runs": {}}, [])}


def test_a_sweep_may_start_from_a_run_of_its_own(study):
    other = "news-karvan-deep-s1"
    settings = SETTINGS | {"sweeps": {"all": {"news": {"EN-RU": other}}}}
    items = {item.key: item for item in study.items}
    assert item_runs(items["figure9"], settings, SHEET) == []  # nothing was pruned from it yet
    sheet = [row | {"init_run": other} if row["run"].startswith("all-1") else row for row in SHEET]
    (base,) = item_runs(items["figure9"], settings, sheet)
    assert (base["run"], base["label"]) == (other, "Karvan (for EN-RU)")
    assert with_pruned(items["figure9"], settings, sheet) == [other, "all-1"]
    assert with_pruned(items["figure7"], settings, sheet) == [NEWS, "encoder-1"]
    assert [run["run"] for run in claim_runs(study, settings, sheet)["sweeps"]] == [NEWS, other]
    # it takes no part in what is said of heads
    assert other not in {run["run"] for run in study_runs(settings)}


def test_claims_are_tested_on_the_tables_of_the_runs_there_are(study):
    runs = claim_runs(study, SETTINGS, SHEET)
    names = {table: [run["run"] for run in own] for table, own in runs.items()}
    every = [NEWS, "subtitles-karvan-s1", "news-karvan-untrained"]
    assert names == {
        "functions": every,
        "statistics": every,
        "persons": every,
        "relevance": ["subtitles-karvan-s1"],
        "sweeps": [NEWS],
    }
    more = [*SHEET, SHEET[3] | {"run": "encoder-2", "init_run": "subtitles-karvan-s1"}]
    names = {table: [run["run"] for run in own] for table, own in claim_runs(study, SETTINGS, more).items()}
    assert names["pruned_functions"] == ["subtitles-karvan-s1", "encoder-2"]
    assert names["gates"] == ["encoder-2"]
    assert names["sweeps"] == [NEWS, "subtitles-karvan-s1"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("venue: ACL", "venu: ACL", "the key 'venue' is missing|unknown key 'venu'; did you mean 'venue'"),
        ('section: "5.3"\n', 'section: "5.3"\n    colour: red\n', "`items.figure5`: unknown key 'colour'"),
        ("also: [pruned]", "also: [pruend]", "`items.figure8.also.0`: it is 'pruend'; did you mean"),
        ("cited: ", "cited: [", "not valid YAML"),
        # a name alone would stand for every domain that is a part of it
        (
            "persons: all",
            "persons: news-long",
            "`tables.persons`: it is 'news-long', but must be 'all', 'trained' or 'seeds'",
        ),
        ("persons: all", "persons: {domains: news}", "`tables.persons"),
        ("persons: all", "persons: {domain: [news]}", "`tables.persons"),
    ],
)
def test_studies_written_wrongly_are_refused(tmp_path, old, new, says):
    text = (FOLDER / "voita2019/study.yaml").read_text()
    assert old in text
    path = tmp_path / "voita2019/study.yaml"
    path.parent.mkdir()
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=says) as error:
        read_study(path)
    assert str(path) in str(error.value)


def test_a_study_that_nobody_described_is_refused():
    with pytest.raises(InputError, match=r"there is no study 'voita2091'; did you mean 'voita2019'"):
        study_of("voita2091")


def test_seeds_are_runs_that_differ_in_nothing_else():
    def row(run, seed, init="bert", study="kovaleva2019"):
        return {"run": run, "study": study, "corpus": "rte", "seed": seed, "init_run": init}

    sheet = [row("a-1", 1), row("a-2", 2), row("b-1", 1, "random"), row("a-3", 3, study="other")]
    runs = [
        {"run": "a-1", "domain": "RTE", "trained": True},
        {"run": "b-1", "domain": "RTE", "trained": False},
    ]
    found = with_seeds(runs, sheet)
    assert [(run["run"], run["seed"], run["trained"]) for run in found] == [
        ("a-1", 1, True),
        ("a-2", 2, True),
        ("a-3", 3, True),
        ("b-1", 1, False),
    ]


def test_untrained_runs_of_its_roles_and_other_seeds_stand_beside_an_item_s_runs():
    def row(run, seed, init):
        return {"run": run, "corpus": "rte", "seed": seed, "init_run": init}

    sheet = [row("rte-1", 1, "bert"), row("rte-2", 2, "bert"), row("rte-0", 1, "random")]
    settings = {
        "runs": {"RTE": {"EN": "rte-1"}},
        "untrained": {"RTE": {"EN": "rte-0"}, "Wikipedia": {"EN": "none"}},
    }
    item = study_of("kovaleva2019").item("table1")
    assert item.also == ("seeds", "untrained")
    assert [run["run"] for run in item_runs(item, settings, sheet)] == ["rte-1", "rte-2", "rte-0"]
    assert [run["run"] for run in item_runs(item.model_copy(update={"also": ()}), settings, sheet)] == [
        "rte-1"
    ]
    beside = item.model_copy(update={"roles": (("MRPC", "EN"),), "beside": (("RTE", "EN"),), "also": ()})
    assert [run["run"] for run in item_runs(beside, settings, sheet)] == ["rte-1"]
    assert not can_be_made(beside, settings, sheet)
