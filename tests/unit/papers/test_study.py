"""Studies as data: items find their runs at every scale, and the README's table follows from them."""

import pytest

from headwork.errors import InputError
from headwork.papers.study import item_runs, read_study, readme_table, study_runs

SETTINGS = {
    "runs": {"news": {"EN-RU": "news-karvan-s1"}, "subtitles": {"EN-RU": "subtitles-karvan-s1"}},
    "untrained": {"news": {"EN-RU": "news-karvan-untrained"}},
    "shown_as": {"EN-RU": "Karvan (for EN-RU)"},
}


@pytest.fixture
def study(root):
    return read_study(root / "config/papers/voita2019.yaml")


def test_every_item_has_its_script_caption_and_rule_name(root, study):
    for item in study.items:
        assert (root / f"workflow/figures/{study.key}/{item.key}.py").is_file()
        assert (root / f"workflow/report/{study.key}/{item.key}.rst").is_file()
        assert item.rule == f"voita2019_{item.key}"


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


def test_the_readme_s_table_names_command_and_script(study):
    lines = readme_table([study]).splitlines()
    assert len(lines) == 2 + len(study.items)
    table1 = next(line for line in lines if "Table 1" in line)
    assert "`snakemake voita2019_table1`" in table1
    assert "(workflow/figures/voita2019/table1.py)" in table1


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("venue: ACL 2019", "venu: ACL 2019", "the study lacks venue"),
        (
            '    section: "5.3"\n',
            '    section: "5.3"\n    colour: red\n',
            "item figure5 has the unknown key 'colour'",
        ),
        ("study: voita2019\n", "study: [voita2019\n", "no valid YAML"),
    ],
)
def test_studies_written_wrongly_are_refused(root, tmp_path, old, new, says):
    text = (root / "config/papers/voita2019.yaml").read_text()
    assert old in text
    path = tmp_path / "voita2019.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=says) as error:
        read_study(path)
    assert str(path) in str(error.value)
