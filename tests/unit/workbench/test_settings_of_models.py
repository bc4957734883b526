"""Settings of models: names that are other libraries', and the place of a mistake among several kinds of entries."""

from typing import get_args

import pytest
from pydantic import Field
from sacrebleu.metrics import BLEU
from transformers import SchedulerType

from headwork.errors import SettingError
from headwork.settings.base import Settings
from headwork.settings.models import AnyArchitecture, AnyRecipe, Schedule, Tokenizer

MARIAN = {
    "family": "marian",
    "encoder_layers": 1,
    "decoder_layers": 1,
    "heads": 2,
    "width": 4,
    "feed_forward": 8,
}


class Sections(Settings):
    """Both sections whose entries are of several kinds."""

    architectures: dict[str, AnyArchitecture] = Field(default_factory=dict)
    recipes: dict[str, AnyRecipe] = Field(default_factory=dict)


def test_names_of_other_libraries() -> None:
    assert set(get_args(Schedule)) == {schedule.value for schedule in SchedulerType}
    assert set(get_args(Tokenizer)) == set(filter(None, BLEU.TOKENIZERS))


@pytest.mark.parametrize(
    ("section", "entry", "message"),
    [
        ("architectures", None, "`architectures.it`: the key 'family' is missing"),
        (
            "architectures",
            {"model": "bert", "sha": "0"},
            "`architectures.it`: unknown key 'sha'; did you mean",
        ),
        ("architectures", MARIAN | {"dropot": 0}, "`architectures.it`: unknown key 'dropot'; did you mean"),
        ("architectures", MARIAN | {"dropout": {"residal": 0}}, "`architectures.it.dropout`: unknown key"),
        ("architectures", MARIAN | {"width": 3}, "`architectures.it`: 2 heads do not divide a width of 3"),
        ("recipes", {"epochs": 0}, "`recipes.it.epochs`: it is 0, but must be greater than or equal to 1"),
        ("recipes", {"epochs": 1, "steps": 3}, "`recipes.it`: unknown key 'steps'; known keys are epochs"),
        ("recipes", {"steps": 9, "gates": {"temprature": 1}}, "`recipes.it.gates`: unknown key 'temprature'"),
        ("recipes", {"steps": 9, "betas": [0.9]}, "`recipes.it.betas`: it is .+ at least 2 items"),
    ],
)
def test_the_place_of_a_mistake(section: str, entry: dict | None, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Sections.read({section: {"it": entry}}, "config")
