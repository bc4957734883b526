"""What can be known of the workflow without running it: its form and its plan."""

import re
from pathlib import Path

import pytest
import yaml

from headwork.papers.study import read_study, readme_table

pytestmark = pytest.mark.workflow


def test_the_linter_finds_nothing(clone) -> None:
    assert "Congratulations" in clone.snakemake("--lint").stderr


def test_the_rules_are_formatted(clone) -> None:
    clone.run("snakefmt", "--check", "Snakefile", "workflow")


def test_every_item_is_a_rule_with_a_sentence(clone, root: Path) -> None:
    listed = clone.snakemake("--list-rules").stdout
    for item in read_study(root / "config/papers/voita2019.yaml").items:
        assert re.search(rf"^{item.rule} \(Voita et al. 2019, {item.title}: .+\)$", listed, re.M), listed


def test_the_readme_finds_every_figure(root: Path) -> None:
    studies = [read_study(path) for path in sorted((root / "config/papers").glob("*.yaml"))]
    readme = (root / "README.md").read_text()
    shown = readme.split("a test compares -->\n")[1].split("<!-- /items -->")[0]
    assert shown.strip() == readme_table(studies).strip()


def test_every_rule_that_makes_something_carries_its_code(root: Path) -> None:
    for path in sorted((root / "workflow/rules").rglob("*.smk")):
        for rule in re.split(r"^rule ", path.read_text(), flags=re.M)[1:]:
            if "    output:" in rule:
                script = re.search(r'^        "(?:\.\./)+(.+\.py)"$', rule, re.M)
                assert script, f"{path.name}: {rule.split(':')[0]} has no script"
                assert f'code=fingerprint("workflow/{script[1]}")' in rule, (
                    f"{path.name}: {rule.split(':')[0]}"
                )


def test_dvc_knows_every_part_of_the_config(root: Path) -> None:
    stages = yaml.safe_load((root / "dvc.yaml").read_text())["stages"].values()
    claimed = {
        key for stage in stages for entry in stage.get("params", []) for key in entry["config/config.yaml"]
    }
    assert claimed == set(yaml.safe_load((root / "config/config.yaml").read_text())) - {"scale", "data"}


def test_the_miniature_scale_is_planned_from_nothing(clone) -> None:
    planned = clone.planned()
    assert planned["train"] == planned["heads"] == 5
    assert {
        f"voita2019_{item}" for item in ("figure1", "figure2", "figure3", "figure4", "figure5", "table1")
    } < set(planned)
