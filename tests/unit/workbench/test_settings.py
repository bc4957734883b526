"""A slip in the config or the run sheet is named in one sentence, with its place."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

from headwork.errors import InputError
from headwork.plan import checks, run_checks
from headwork.plan.checks import check_distilled
from headwork.settings.config import read_config
from headwork.settings.pages import pages
from headwork.settings.pruning import MeasureSettings
from headwork.settings.run_sheets import mask_run, read_sheets, whole_run
from headwork.settings.scale import Config
from headwork.studies.study import at_scale, read_studies

ROW = {
    "run": "a",
    "study": "voita2019",
    "corpus": "news",
    "objective": "translation",
    "architecture": "small",
}
ROW |= {"recipe": "base", "seed": 1, "init_run": "", "gates": "none", "penalty": 0}
# of `small`: 12 heads in the encoder, and 8 of each kind in the decoder
CONFIG = {
    "corpora": {"news": {}},
    "texts": {"wikipedia": {}},
    "tasks": {"rte": {}},
    "architectures": {
        "small": {"encoder_layers": 3, "decoder_layers": 2, "heads": 4},
        "narrow": {"encoder_layers": 3, "decoder_layers": 2, "heads": 4, "decoder_heads": 1},
        "unclear": {"encoder_layers": 3, "heads": 4},
        "dropping": {"encoder_layers": 3, "decoder_layers": 2, "heads": 4, "dropout": {"residual": 0.1}},
        "bert": {"family": "bert"},
        "named": {"model": "somebody/model"},
    },
    "recipes": {"base": {}, "tuning": {"epochs": 3}},
}


@pytest.fixture
def sheet(tmp_path: Path, root: Path):
    """Read a run sheet made of the given rows, some cells changed."""

    def read(*changes: dict) -> pd.DataFrame:
        path = tmp_path / "runs.tsv"
        pd.DataFrame([ROW | change for change in changes]).to_csv(path, sep="\t", index=False)
        runs = read_sheets({"scale": path.name}, tmp_path)
        run_checks.check_runs(runs, CONFIG)
        return runs

    return read


@pytest.fixture(scope="module")
def studies(root: Path) -> dict:
    """The studies that are described, by their keys."""
    return read_studies(root / "workflow/studies")


@pytest.fixture
def scale(root: Path, studies: dict):
    """The config of a scale: the default one, or the named one laid over it as `--configfile` does."""

    def read(name: str | None = None) -> dict:
        config = yaml.safe_load((root / "config/config.yaml").read_text())
        if name:
            update_config(config, yaml.safe_load((root / f"config/{name}.yaml").read_text()))
        return config | {"studies": at_scale(studies, config)}

    return read


SCALES = [(), ("workstation",), ("paper",), ("paper", "paper-open")]


@pytest.mark.parametrize("overlays", SCALES)
def test_the_settings_of_every_scale_are_taken(root: Path, studies: dict, overlays: tuple[str, ...]) -> None:
    """What a job would refuse after days is refused before; here the last of thousands of keys."""
    paths = [root / f"config/{name}.yaml" for name in ("config", *overlays)]
    config = read_config(*paths)
    config["studies"] = at_scale(studies, config)
    Config.read(config, "config")
    config["attribution"]["triggers"]["tried"] = 0
    with pytest.raises(InputError, match=r"`attribution\.triggers\.tried`: it is 0, but must be"):
        Config.read(config, "config")


def test_the_pages_of_the_config_are_those_of_its_models(root: Path) -> None:
    """Written by `make docs`; every key has a meaning."""
    kept = {path.stem: path.read_text() for path in (root / "docs/config").glob("*.md")}
    assert pages() == kept, "run `make docs`"
    rows = [line for text in kept.values() for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 400
    assert [row for row in rows if "|  |" in row] == []


def test_planning_imports_no_torch(root: Path) -> None:
    heavy = "('torch', 'transformers', 'scipy')"
    code = f"import sys, headwork.plan.checks; print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("parser", "message"),
    [
        (
            {"treebank": {"type": "embedded"}, "tagger": {}},
            "`parsers.new`: with a treebank it needs 'parser'",
        ),
        (
            {"treebank": {"type": "embedded"}, "parser": {}},
            "`parsers.new`: with a treebank it needs 'tagger'",
        ),
        ({"tags": "gold"}, "`parsers.new`: it needs one of the keys 'treebank', 'folder' or 'published'"),
        (
            {"treebank": {"type": "local", "train": "a.conllu"}, "tagger": {}, "parser": {}},
            "`parsers.new.treebank`: a local treebank needs 'dev'",
        ),
    ],
)
def test_a_parser_says_how_it_is_made(scale, root: Path, parser: dict, message: str) -> None:
    config = scale()
    config["parsers"]["new"] = parser
    with pytest.raises(InputError, match=f"^config: {message}"):
        Config.read(config, "config")
    config["parsers"]["new"] = {"folder": "models"}
    Config.read(config, "config")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "en-pt2"}, r"sources\.0\.text`: no distilled text 'en-pt2'; did you mean 'en-pt'"),
        ({"text": None}, r"sources\.0`: the type distilled needs 'text'"),
        ({"split": None}, r"sources\.0`: the type distilled needs 'split'"),
    ],
)
def test_distilled_text_that_there_is(scale, change: dict, message: str) -> None:
    config = scale("workstation")
    check_distilled(config)
    source = config["corpora"]["distilled-pt"]["sources"][0]
    config["corpora"]["distilled-pt"]["sources"][0] = source | change
    with pytest.raises(InputError, match=message):
        check_distilled(Config.read(config, "config") and config)


def test_distilled_text_of_the_languages_of_its_corpus(scale) -> None:
    config = scale("workstation")
    config["corpora"]["distilled-pt"]["target"] = "de"
    with pytest.raises(InputError, match="'en-pt' is not of en and de; choose another"):
        check_distilled(config)
    config["distilled"]["en-pt"]["selection"]["shortest"] = 90
    with pytest.raises(InputError, match=r"`distilled\.en-pt\.selection`: .*no sentence has 90 to 60 words"):
        Config.read(config, "config")


@pytest.mark.parametrize("name", [None, "workstation"])
def test_bleu_takes_tokenised_text_as_it_is(scale, root: Path, name: str | None) -> None:
    config = scale(name)
    runs = read_sheets(config["runs"], root)
    corpora = runs.loc[runs["objective"] == "translation", "corpus"]
    (tokenisation,) = {config["corpora"][corpus]["tokenisation"] for corpus in corpora}
    assert config["translation"]["scoring"]["tokenize"] == {"none": "none", "moses": "13a"}[tokenisation]


def test_a_good_sheet_is_read_with_empty_cells_as_none(sheet) -> None:
    runs = sheet({}, {"run": "b", "init_run": "a"})
    assert list(runs.index) == ["a", "b"]
    assert runs.loc["a", "init_run"] is None
    assert runs.loc["b", "init_run"] == "a"
    assert runs["target"].tolist() == [None, None]


PRUNED = {"run": "b", "init_run": "a", "gates": "encoder"}
LATER = PRUNED | {"run": "c", "init_run": "b"}
SCRATCH = {"run": "c", "gates": "mask:b"}
MASKED = {"objective": "mlm", "corpus": "wikipedia", "architecture": "bert"}
TASK = MASKED | {"run": "b", "objective": "classification", "corpus": "rte", "recipe": "tuning"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (({"objective": "mlm", "corpus": "rte"},), r"runs.tsv:2: no corpus 'rte' .*keys are wikipedia, news"),
        (({"objective": "lm", "corpus": "wikipedia"},), r"runs.tsv:2: no corpus 'wikipedia' .*keys are news"),
        ((MASKED, TASK), r"runs.tsv:3: run 'b' is fine-tuned and needs initial weights"),
        (({}, TASK | {"init_run": "a"}), r"cannot start from 'a', a model of another kind \(translation\)"),
        ((MASKED | {"gates": "all"},), r"run 'a': gates are for translation models"),
        (
            (MASKED | {"architecture": "small"},),
            r"'a' \(mlm\) has the architecture 'small', a translation model",
        ),
        (
            (MASKED | {"recipe": "tuning"},),
            r"run 'a' \(mlm\) has the recipe 'tuning'; give it one of training",
        ),
        (
            (MASKED, TASK | {"recipe": "base", "init_run": "a"}),
            r"runs.tsv:3: run 'b' \(classification\) has the recipe 'base'; give it one of fine-tuning",
        ),
    ],
)
def test_encoders_that_cannot_be(sheet, rows: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sheet(*rows)


def test_models_by_name_are_encoders(sheet) -> None:
    named = {"architecture": "named"}
    assert len(
        sheet(MASKED | named, TASK | named | {"init_run": "a"}, {"run": "c", "objective": "mlm"} | named)
    )
    for objective in ("translation", "lm"):
        with pytest.raises(InputError, match=r"'named', a model by name .*; give it .* that is trained here"):
            sheet(named | {"objective": objective})


def test_weights_are_of_one_shape(sheet) -> None:
    assert len(sheet({}, PRUNED | {"architecture": "dropping"}))
    with pytest.raises(
        InputError, match=r"runs.tsv:3: run 'b' has .* 'narrow', but 'a', .*, has 'small', which is"
    ):
        sheet({}, PRUNED | {"architecture": "narrow"})


def test_lines_are_those_of_the_file(tmp_path: Path, root: Path) -> None:
    row = "\t".join(["{run}", "voita2019", "news", "translation", "small", "base", "{seed}", "", "none", "0"])
    path = tmp_path / "runs.tsv"
    head = ["# a remark", "", "\t".join(ROW), " # another", row.format(run="null", seed=1), "  ", ""]

    def read(*rows: str) -> pd.DataFrame:
        path.write_text("\n".join([*head, *rows]) + "\n")
        return read_sheets({"scale": path.name}, tmp_path)

    assert list(read().index) == ["null"]
    with pytest.raises(InputError, match=r"runs.tsv:9: `seed`: it is 'one', but must be a valid integer"):
        read("# and one more", row.format(run="b", seed="one"))
    with pytest.raises(InputError, match=r"runs.tsv:8: run 'null' is given twice"):
        read(row.format(run="null", seed=2))
    unknown = read(row.format(run="b", seed=2).replace("news", "nwes"))
    with pytest.raises(InputError, match=r"^runs.tsv:8: no corpus 'nwes'"):
        run_checks.check_runs(unknown, CONFIG)


def test_a_sweep_is_read(sheet) -> None:
    runs = sheet({}, PRUNED | {"target": 12}, SCRATCH, {"run": "d", "gates": "all", "penalty": 0.1})
    assert runs["gates"].tolist() == ["none", "encoder", "mask:b", "all"]
    assert runs["target"].tolist() == [None, 12, None, None]
    assert [mask_run(gates) for gates in runs["gates"]] == [None, None, "b", None]


def test_a_row_is_the_same_whatever_other_rows_hold(sheet) -> None:
    """Or a row with a penalty or a target would have all the others trained anew."""
    alone, beside = sheet({}), sheet({}, PRUNED | {"penalty": 0.1}, PRUNED | {"run": "c", "target": 3})
    assert repr(alone.loc["a"].to_dict()) == repr(beside.loc["a"].to_dict())
    assert repr(beside.loc["c", "target"]) == "3"


@pytest.mark.parametrize("overlay", ["workstation", "paper"])
def test_an_overlay_is_merged_as_by_snakemake(root, overlay) -> None:
    paths = root / "config/config.yaml", root / f"config/{overlay}.yaml"
    theirs, over = (yaml.safe_load(path.read_text()) for path in paths)
    update_config(theirs, over)
    assert read_config(*paths) == theirs
    with pytest.raises(InputError, match=r"none\.yaml: no such config file"):
        read_config(root / "config/none.yaml")


def test_the_whole_run_that_a_pruned_one_comes_from(sheet) -> None:
    last = LATER | {"target": 2}
    rows = sheet({}, PRUNED | {"target": 4}, last, SCRATCH | {"run": "d"}).to_dict("index")
    assert [whole_run(rows[run], rows) for run in "abcd"] == [None, "a", "a", None]


def test_a_target_is_not_counted_where_the_architecture_does_not_say(sheet) -> None:
    unclear = {"architecture": "unclear"}
    assert sheet(unclear, PRUNED | unclear | {"gates": "all", "target": 99}) is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([{"corpus": "nwes"}], r"runs.tsv:2: no corpus 'nwes' in the config; did you mean 'news'\?"),
        ([{}, {}], r"runs.tsv:3: run 'a' is given twice"),
        ([{"init_run": "z"}], r"runs.tsv:2: run 'a' has the init_run 'z', which is not in the run sheets"),
        ([{"init_run": "b"}, {"run": "b", "init_run": "a"}], r"in a cycle; change .*: a -> b -> a"),
        ([{"run": "A b"}], r"runs.tsv:2: `run`: 'A b' is no name; write small letters"),
        ([{"gates": "cross"}], r"runs.tsv:2: `gates`: it is 'cross', but must match pattern"),
        ([{"gates": "all", "penalty": -1}], r"runs.tsv:2: `penalty`: it is '-1', but must be greater than"),
        ([{"target": 1.5}], r"runs.tsv:2: `target`: it is '1.5', but must be a valid integer"),
        ([{}, PRUNED | {"target": 13}], r"runs.tsv:3: run 'b' is to keep 13 heads, but 12 have gates"),
        ([{"gates": "all", "target": 29}], r"runs.tsv:2: run 'a' is to keep 29 heads, but 28 have gates"),
        (
            [{"architecture": "narrow", "gates": "all", "target": 17}],
            r"runs.tsv:2: run 'a' is to keep 17 heads, but 16 have gates",
        ),
        ([{}, PRUNED | {"target": 4}, LATER | {"target": 4}], r"runs.tsv:4: run 'c' is to keep 4 .* keeps 4"),
        (
            [{}, PRUNED | {"target": 4}, LATER | {"gates": "all", "target": 2}],
            r"runs.tsv:4: run 'c' has gates in 'all', but 'b', from which it starts, has 'encoder'",
        ),
        ([{"gates": "all", "target": 2, "penalty": 0.1}], r"runs.tsv:2: run 'a' has a penalty and a target"),
        ([{"penalty": 0.1}], r"runs.tsv:2: run 'a' has a penalty, but no learned gates; set gates to"),
        ([{"target": 2}], r"runs.tsv:2: run 'a' has a target, but no learned gates"),
        ([{}, PRUNED, SCRATCH | {"target": 2}], r"runs.tsv:4: run 'c' has a target, but no learned gates"),
        ([{"gates": "mask:b"}], r"runs.tsv:2: run 'a' has a mask of 'b', which is not in the run sheets"),
        ([{}, {"run": "b", "gates": "mask:a"}], r"runs.tsv:3: run 'b' .* 'a', which has no gates; name"),
        (
            [{"init_run": "c"}, PRUNED, SCRATCH],
            r"runs.tsv:2: runs depend .* in a cycle; .*: a -> c -> b -> a",
        ),
        ([{"gates": "mask:a"}], r"runs.tsv:2: runs depend on each other in a cycle; .*: a -> a"),
    ],
)
def test_a_bad_sheet_is_refused_with_file_and_line(sheet, changes: list[dict], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sheet(*changes)


@pytest.mark.parametrize("name", [None, "workstation", "paper"])
def test_the_scales_name_what_there_is(scale, studies, name: str | None) -> None:
    checks.check_ids(scale(name), studies)


@pytest.mark.parametrize("name", [None, "workstation", "paper"])
def test_examples_are_read_as_far_as_in_fine_tuning(scale, root: Path, name: str | None) -> None:
    """Or heads would be judged on examples that the model was not made for."""
    config = scale(name)
    runs = read_sheets(config["runs"], root)
    tuned = runs.loc[runs["objective"] == "classification", "recipe"]
    (longest,) = {config["recipes"][recipe]["longest"] for recipe in tuned}
    measures = config["pruning"]["measures"].get("longest", MeasureSettings().longest)
    assert (config["attribution"]["longest"], measures) == (longest, longest)
