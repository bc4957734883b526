"""What is refused of the settings of representations, in one sentence; and the choices that other phases know."""

from copy import deepcopy
from typing import get_args

import pytest
import yaml

from headwork.errors import SettingError
from headwork.parses import labelled_spans, tagged
from headwork.settings.representations import EdgeTask, EdgeTaskName, Representations, TagTask


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("masked.random", 0.7, r"`masked`: mask \(0.4\) and random \(0.7\) are shares of one whole"),
        ("evolution.groups.ranks", [10, 1], r"`evolution\.groups`: ranks are \[10, 1\]; give rising bounds"),
        ("evolution.groups.ranks", [1], r"ranks are \[1\]; give rising bounds"),
        ("evolution.preservation.occurrences", 8, "8 neighbours among 8 occurrences; ask for fewer"),
        ("tags.tasks.pos", {"tag": "role"}, r"`tags\.tasks\.pos\.tag`: it is 'role', but must be 'upos'"),
        ("tags.tasks.pos", {"train": "a"}, "a task has train and test, or neither"),
        ("tags.tasks.pos", {}, "name a `tag` of the treebank, or files"),
        ("tags.tasks.pos.colum", 3, r"`tags\.tasks\.pos`: unknown key 'colum'; did you mean 'column'"),
        ("tags.probes", ["mlp"], "it is 'mlp', but must be 'linear' or 'decoder'"),
        ("geometry.attention.test_share", 1.0, "it is 1.0, but must be less than 1"),
        ("geometry.attention.alphas", [], "it is .., but must have at least 1 item"),
        ("geometry.attention.alphas", [0], "must be greater than 0"),
        ("edge_probes.tasks.parts", {}, "it is 'parts', but must be 'pos', 'chunks'"),
        ("edge_probes.tasks.pos", {"form": "columns"}, "a task has files, train and test, if and only if"),
        ("edge_probes.tasks.pos", {"train": "a", "test": "b"}, "a task has files, train and test, if and"),
        ("edge_probes.probe.dropout", 1, "it is 1, but must be less than 1"),
        ("senses.semantic.step", 3, r"`senses\.semantic`: unknown key 'step'; did you mean 'steps'"),
    ],
)
def test_settings_that_make_no_sense(root, place, value, message):
    config = yaml.safe_load((root / "config/config.yaml").read_text())["representations"]
    changed = part = deepcopy(config)
    *keys, last = place.split(".")
    for key in keys:
        part = part[key]
    part[last] = value
    Representations.read(config, "representations")
    with pytest.raises(SettingError, match=message):
        Representations.read(changed, "representations")


def test_a_task_of_null_is_left_out_and_one_without_keys_is_not():
    tasks = Representations.model_fields["edge_probes"].annotation.read(
        {"tasks": {"pos": {}, "senses": None}}, "a"
    )
    assert tasks.tasks == {"pos": EdgeTask(), "senses": None}


def test_tasks_and_forms_are_those_that_are_read():
    assert set(get_args(EdgeTaskName)) == set(labelled_spans.TASKS)
    forms = {form for form, _ in labelled_spans.SOURCES}
    assert set(get_args(EdgeTask.model_fields["form"].annotation)) == forms
    tags, _ = get_args(TagTask.model_fields["tag"].annotation)
    assert set(get_args(tags)) == set(tagged.OF_TREES)
