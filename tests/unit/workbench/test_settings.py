"""A slip in the config or the run sheet is named in one sentence, with its place."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

from headwork import settings
from headwork.errors import InputError

COLUMNS = [
    "run",
    "study",
    "corpus",
    "objective",
    "architecture",
    "recipe",
    "seed",
    "init_run",
    "gates",
    "penalty",
]
CONFIG = {"corpora": {"news": {}}, "architectures": {"small": {}}, "recipes": {"base": {}}}


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.yaml"
    heads = {"type": "object", "properties": {"window": {"type": "integer"}}, "additionalProperties": False}
    path.write_text(
        yaml.safe_dump({"type": "object", "properties": {"heads": heads}, "additionalProperties": False})
    )
    return path


@pytest.fixture
def sheet(tmp_path: Path, root: Path):
    """Read a run sheet made of the given rows, some cells changed."""

    def read(*changes: dict) -> pd.DataFrame:
        row = dict(
            zip(
                COLUMNS,
                ["a", "voita2019", "news", "translation", "small", "base", 1, "", "none", 0],
                strict=True,
            )
        )
        path = tmp_path / "runs.tsv"
        pd.DataFrame([row | change for change in changes]).to_csv(path, sep="\t", index=False)
        runs = settings.read_runs(path, root / "workflow/schemas/runs.schema.yaml")
        settings.check_runs(runs, CONFIG, path.name)
        return runs

    return read


def test_a_misspelt_key_is_named_with_the_key_that_was_meant(schema: Path) -> None:
    with pytest.raises(InputError, match=r"^config: `heads`: unknown key 'windw'; did you mean 'window'\?$"):
        settings.check({"heads": {"windw": 3}}, schema, "config")


def test_a_value_of_the_wrong_type_is_named_with_its_place(schema: Path) -> None:
    with pytest.raises(InputError, match=r"^config: `heads.window`: 'wide' is not of type 'integer'$"):
        settings.check({"heads": {"window": "wide"}}, schema, "config")


@pytest.fixture
def scale(root: Path):
    """The config of a scale: the default one, or the named one laid over it as `--configfile` does."""

    def read(name: str | None = None) -> dict:
        config = yaml.safe_load((root / "config/config.yaml").read_text())
        if name:
            update_config(config, yaml.safe_load((root / f"config/{name}.yaml").read_text()))
        return config

    return read


@pytest.mark.parametrize("name", [None, "workstation"])
def test_the_scales_fit_the_schema(scale, root: Path, name: str | None) -> None:
    settings.check(scale(name), root / "workflow/schemas/config.schema.yaml", "config")


@pytest.mark.parametrize(
    ("parser", "message"),
    [
        ({"treebank": {"type": "embedded"}, "tagger": {}}, "`parsers.new`: 'parser' is a required property"),
        ({"treebank": {"type": "embedded"}, "parser": {}}, "`parsers.new`: 'tagger' is a required property"),
        ({"tags": "gold"}, "`parsers.new`: 'folder' is a required property"),
        (
            {"treebank": {"type": "embedded"}, "tager": {}, "parser": {}},
            r"`parsers.new`: unknown key 'tager'; did you mean 'tagger'\?",
        ),
        (
            {"treebank": {"type": "local", "train": "a.conllu"}, "tagger": {}, "parser": {}},
            "`parsers.new.treebank`: 'dev' is a required property",
        ),
    ],
)
def test_a_parser_says_how_it_is_made(scale, root: Path, parser: dict, message: str) -> None:
    config, schema = scale(), root / "workflow/schemas/config.schema.yaml"
    config["parsers"]["new"] = parser
    with pytest.raises(InputError, match=f"^config: {message}$"):
        settings.check(config, schema, "config")
    config["parsers"]["new"] = {"folder": "models"}
    settings.check(config, schema, "config")


@pytest.mark.parametrize("name", [None, "workstation"])
def test_bleu_takes_tokenised_text_as_it_is(scale, root: Path, name: str | None) -> None:
    config = scale(name)
    runs = settings.read_runs(root / config["runs"], root / "workflow/schemas/runs.schema.yaml")
    (tokenisation,) = {config["corpora"][corpus]["tokenisation"] for corpus in runs["corpus"]}
    assert config["translation"]["scoring"]["tokenize"] == {"none": "none", "moses": "13a"}[tokenisation]


def test_a_good_sheet_is_read_with_empty_cells_as_none(sheet) -> None:
    runs = sheet({}, {"run": "b", "init_run": "a"})
    assert list(runs.index) == ["a", "b"]
    assert runs.loc["a", "init_run"] is None
    assert runs.loc["b", "init_run"] == "a"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([{"corpus": "nwes"}], r"runs.tsv:2: no corpus 'nwes' in the config; it has news"),
        ([{}, {}], r"runs.tsv:3: run 'a' stands there twice"),
        ([{"init_run": "z"}], r"runs.tsv:2: run 'a' starts from 'z', which is not a run"),
        ([{"init_run": "b"}, {"run": "b", "init_run": "a"}], r"in a circle: a -> b -> a"),
        ([{"seed": "one"}], r"runs.tsv:2: `seed`: 'one' is not of type 'integer'"),
        ([{"run": "A b"}], r"runs.tsv:2: `run`: 'A b' does not match"),
    ],
)
def test_a_bad_sheet_is_refused_with_file_and_line(sheet, changes: list[dict], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sheet(*changes)


def test_a_missing_column_is_refused(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "runs.tsv"
    path.write_text("run\tstudy\na\tvoita2019\n")
    with pytest.raises(InputError, match=r"runs.tsv:2: 'corpus' is a required property"):
        settings.read_runs(path, root / "workflow/schemas/runs.schema.yaml")
