"""The rule of the gallery shows what is there, as it was pulled or made, and plans nothing else."""

import pytest
from made_up_results import write_results

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_the_gallery_of_pulled_results_makes_nothing_but_its_pages(clone) -> None:
    write_results(clone / "results", {})  # without records, as `dvc pull` brings them
    assert clone.planned("gallery") == {"gallery": 1}
    clone.snakemake("--", "gallery")
    assert "clark2019_figure1" in (clone / "results/gallery/clark2019.html").read_text()
    assert clone.planned("gallery") == {}
    write_results(clone / "results", {"A control that fails.": "Another control that fails."})
    assert clone.planned("gallery") == {"gallery": 1}
