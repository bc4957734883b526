"""Parts of the config as models: types are kept, and each mistake is one sentence with its place."""

from typing import Literal

import pytest
from pydantic import model_validator

from headwork.errors import SettingError
from headwork.settings.base import Count, Id, Settings, Several, require


class Rules(Settings):
    shortest: Count = 1
    longest: Count = 100
    ratio: float = 3
    kinds: Several[Literal["encoder", "decoder"]] = ("encoder",)

    @model_validator(mode="after")
    def _in_order(self):
        require(self.shortest <= self.longest, f"shortest is {self.shortest}; lower it")
        return self


class Corpus(Settings):
    source: str
    cleaning: Rules = Rules()
    parts: dict[Id, Rules] = {}  # noqa: RUF012 (pydantic copies it)


def test_nothing_is_all_defaults_and_lists_become_tuples():
    assert Rules.read(None, "cleaning") == Rules()
    assert Corpus.read({"source": "en", "cleaning": None}, "corpus").cleaning == Rules()
    assert Rules.read({"ratio": 4, "kinds": ["decoder", "encoder"]}, "").kinds == ("decoder", "encoder")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "corpus: the key 'source' is missing"),
        (
            {"source": 3},
            "corpus: `source`: it is 3, read as a number or truth value, where text is needed; in a file put it in "
            "quotes, in a command write a path with ./ and a name with a letter first",
        ),
        ({"cleening": 3}, "corpus: unknown key 'cleening'; did you mean 'cleaning'?"),
        ({"colour": 3}, "corpus: unknown key 'colour'; known keys are source, cleaning, parts"),
        ({"cleaning": 3}, "corpus: `cleaning`: it is 3, but must be a mapping of keys"),
        ({"cleaning": {"longst": 3}}, "corpus: `cleaning`: unknown key 'longst'; did you mean 'longest'?"),
        ({"cleaning": {"longest": "60"}}, "corpus: `cleaning.longest`: it is '60', but must be a valid integer"),
        ({"cleaning": {"longest": True}}, "corpus: `cleaning.longest`: it is True, but must be a valid integer"),
        ({"cleaning": {"longest": 6.0}}, "corpus: `cleaning.longest`: it is 6.0, but must be a valid integer"),
        ({"cleaning": {"ratio": float("nan")}}, "corpus: `cleaning.ratio`: it is nan, but must be a finite number"),
        ({"cleaning": {"kinds": ["x"]}}, "corpus: `cleaning.kinds.0`: it is 'x', but must be 'encoder' or 'decoder'"),
        ({"cleaning": {"shortest": 200}}, "corpus: `cleaning`: shortest is 200; lower it"),
        ({"parts": {"A b": {}}}, "corpus: `parts.A b`: 'A b' is no name; write small letters, digits and hyphens"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence_with_its_place(given, said):
    with pytest.raises(SettingError) as error:
        Corpus.read(({"source": "en"} if given else {}) | given, "corpus")
    assert str(error.value) == said
