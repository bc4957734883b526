"""Which rules' work one job does."""

import pytest

from headwork.plan.together import Together, grouped


@pytest.fixture
def together(trained, studied) -> Together:
    """The jobs, if the rules named here write these files."""
    written = {"heads": "heads/{run}.functions.csv", "relations": "parses/{corpus}/{split}.relations.csv"}
    written |= {"relevance": "relevance/{run}.parquet", "remove_heads": "pruning/{run}/speed.json"}

    def makes(rule: str, wildcards: dict[str, str]) -> set[str]:
        return {f"<results>/{written.get(rule, 'nothing')}".format(**wildcards)}

    return Together(trained, studied, makes)


def test_jobs_of_a_scale(together) -> None:
    jobs = {job.name: job for job in together.jobs()}
    assert jobs["train_trained"].parts == [
        ("parser_treebank", {"parser": "trained"}), ("parser", {"parser": "trained"}),
    ]  # fmt: skip
    assert jobs["train_trained"].message == "Train the parser trained, 2 steps"
    assert [rule for rule, _ in jobs["parse_corpora"].parts] == [
        "gold_parses", "stanza_parses", "parser_scores", "relations"
    ]  # fmt: skip
    # every point of a sweep after the one that it starts from; runs from scratch are no part of it
    assert [wildcards["run"] for _, wildcards in jobs["train_e6_and_on"].parts] == ["e6", "e4"]
    assert [wildcards["run"] for _, wildcards in jobs["finetune_rte"].parts] == ["tuned", "tuned2"]
    assert "finetune_named" not in jobs, "one run alone is a job of its own"
    pruned = [(rule, wildcards["run"]) for rule, wildcards in jobs["measure_pruned_world"].parts]
    assert pruned == [
        ("translate", "e6"), ("remove_heads", "e6"), ("translate", "e4"), ("remove_heads", "e4"), ("translate", "again")
    ]  # fmt: skip
    assert [rule for rule, _ in jobs["measure_base"].parts] == ["translate", "heads"]
    assert "measure_real" in jobs, "models of few pairs are measured by corpus"


def test_what_another_part_of_the_job_reads_is_wanted(together) -> None:
    assert together.is_wanted("heads", run="base")
    assert not together.is_wanted("heads", run="e6")
    assert together.is_wanted("translate", run="e6"), "all translations are scored"
    assert not together.is_wanted("relevance", run="base")
    together._wanted.add("<results>/nothing")  # what `translation_measures` writes
    assert together.is_wanted("relevance", run="base")


def test_scales_with_a_job_for_each_rule(together, config) -> None:
    config["together"] = False
    assert together.jobs() == []


def test_groups_keep_their_order() -> None:
    assert grouped(["ab", "c", "de"], len) == {2: ["ab", "de"], 1: ["c"]}
