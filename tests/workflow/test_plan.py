"""What can be known of the workflow without running it: its form and its plan."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from headwork.corpora.annotated.glue import TASKS
from headwork.run.fingerprint import fingerprint
from headwork.run.frame import function_at
from headwork.run.versions import LOCK, NO_RESULTS, NOW, Locked, read_lock, write_lock
from headwork.studies.study import read_studies

pytestmark = pytest.mark.workflow

STUDIES = read_studies(Path(__file__).resolve().parents[2] / "workflow/studies")
ITEMS = {item.rule for study in STUDIES.values() for item in study.items}


def rules_of(study: str) -> set[str]:
    """The rules that make a study with claims: itself, its items, the claims."""
    return {study, f"{study}_claims", *(item.rule for item in STUDIES[study].items)}


SMOKE = ("--configfile", "tests/config/smoke.yaml")


def test_every_item_is_a_rule_with_a_sentence_and_profiles_name_rules_that_there_are(listed, root) -> None:
    _, text = listed
    for study in STUDIES.values():
        for item in study.items:
            assert re.search(rf"^{item.rule} \({study.cited}, {item.title}: .+\)$", text, re.M), text
    rules = {line.split()[0] for line in text.splitlines() if line.strip()}
    for name in ("slurm", "kubernetes"):
        profile = yaml.safe_load((root / f"profiles/{name}/profile.yaml").read_text())
        assert set(profile["set-resources"]) <= rules


FETCHED = {"download", "hub_model", "stanza_models"}  # what an address, or a version, decides


def test_every_rule_that_makes_something_calls_a_function_and_carries_its_version(root: Path) -> None:
    """By its own name; items and claims, which are made in a loop, also hang on their study's file."""
    names = set()
    for path in sorted((root / "workflow/rules").rglob("*.smk")):
        for rule in re.split(r"^ *(?=(?:use )?rule\b)", path.read_text(), flags=re.M)[1:]:
            head, used = rule.split(":")[0], rule.startswith("use")
            if not used and "    output:" not in rule:
                continue
            assert used or re.search(r'^ *"\.\./scripts/call\.py"$', rule, re.M), f"{path.name}: {head}"
            name = head.split()[4] if used else head.removeprefix("rule").strip()
            by_name = rf'\*\*calls\(\s*"{name}",\s*"(.+)"\s*\)'
            in_loop = r'\*\*calls\(\s*(?:item\.rule|f"\{study\.key\}_claims"),\s*"(.+?)",\s*f"\{STUDIES\}/'
            fetched = r'(?:\*\*fetches|function=not_recorded)\("(.+)"\)'
            function = re.search(fetched if name in FETCHED else by_name if name else in_loop, rule)
            assert function, f"{path.name}: {head} calls no function by its own name"
            assert callable(function_at(function[1]))
            names.add(name)
    assert names > FETCHED


def test_the_lock_is_of_the_code_as_it_is(listed) -> None:
    clone, _ = listed
    hashes = json.loads((clone / NOW).read_text())
    lock = read_lock(clone / LOCK)
    assert set(lock) == set(hashes) - set(NO_RESULTS), f"{LOCK} must have a line for each job, and no other"
    edited = [job for job, line in lock.items() if line.hash != hashes[job]]
    assert not edited, f"the code of {edited} is not that in {LOCK}: run `make verify against=COMMIT`"


def test_the_smoke_scale_makes_every_item_and_reaches_every_job_of_the_lock(clone) -> None:
    planned = set(clone.planned("all", "all_weights", options=SMOKE))
    assert planned > ITEMS
    assert set(read_lock(clone / LOCK)) - planned == set(), "`make verify` cannot compare what they make"


def test_an_edit_makes_what_it_changes_out_of_date_and_another_version_too(clone) -> None:
    """Of the tables of a study that are there; a function that moved changes nothing that is recorded."""
    table = "results/smoke/parses/treebanks/world/train.conllu"
    clone.snakemake(*SMOKE, "--", table)
    assert clone.planned(table, options=SMOKE) == {}
    module = clone / "workflow/src/headwork/parses/treebank.py"
    text = module.read_text()
    module.write_text(text + "# a comment\n")
    assert clone.planned(table, options=SMOKE) == {}
    module.write_text(text + "EDITED = True\n")
    assert clone.planned(table, options=SMOKE) == {"treebank": 1}
    lock = read_lock(clone / LOCK)
    hashes = json.loads((clone / NOW).read_text())
    write_lock(clone / LOCK, lock | {"treebank": lock["treebank"]._replace(hash=hashes["treebank"])})
    assert clone.planned(table, options=SMOKE) == {}, "verified"
    write_lock(clone / LOCK, lock | {"treebank": Locked(lock["treebank"].version + 1, hashes["treebank"])})
    assert clone.planned(table, options=SMOKE) == {"treebank": 1}


def test_dvc_asks_every_stage_when_workflow_or_config_change(root: Path) -> None:
    for name, stage in stages(root).items():
        assert name == "records" or {"Snakefile", "workflow", "config"} <= set(stage["deps"]), name


def test_dvc_leaves_pruned_models_out(root: Path) -> None:
    """Of the pruning phase, which is one output, only tables are stored."""
    assert list(stages(root)["pruning"]["outs"][0]) == ["results/${key}/pruning"]
    folder = "results/miniature/pruning"
    tables = [
        f"{folder}/voita2019.runs.csv",
        *(f"{folder}/{part}/bert.csv" for part in ("disabling", "ranking")),
    ]
    models = [f"{folder}/news-a/model.safetensors", "results/workstation/pruning/news-b/removal.json"]
    done = subprocess.run(
        [sys.executable, "-m", "dvc", "check-ignore", *tables, *models],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == models


def stages(root: Path) -> dict[str, dict]:
    """The stages of dvc.yaml; of those that each scale has, what is done for each."""
    shipped = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    return {name: stage.get("do", stage) for name, stage in shipped.items()}


def rows(clone, scale: str) -> list[dict[str, str]]:
    """The rows of a scale in the run sheets of all studies, each run once."""
    found = {}
    for sheet in sorted(clone.folder.glob("workflow/studies/*/runs.tsv")):
        with sheet.open(newline="") as file:
            found |= {
                row["run"]: row for row in csv.DictReader(file, delimiter="\t") if row["scale"] == scale
            }
    return list(found.values())


def test_the_miniature_scale_is_planned_from_nothing(clone, root) -> None:
    """Each run of the sheets is trained once, every item is made, and each rule of the plan is found in a rule file."""
    trained = ("train", "train_watched", "train_gated", "finetune", "pretrain", "language_model")
    planned = clone.planned()
    assert sum(planned[rule] for rule in trained) == len(rows(clone, "miniature"))
    assert set(planned) > ITEMS
    text = "\n".join(
        path.read_text() for path in [root / "Snakefile", *(root / "workflow/rules").glob("*.smk")]
    )
    named = set(re.findall(r"^ *(?:use )?rule (?:\w+ as )?(\w+)", text, re.M))
    # items and claims are named in their studies
    assert {rule for rule in planned if not rule.startswith(tuple(f"{study}_" for study in STUDIES))} <= named


def test_the_profile_of_slurm_can_be_planned(clone) -> None:
    planned = clone.planned("voita2019_figure1", options=["--workflow-profile", "profiles/slurm"])
    assert {"world", "train", "heads", "relevance", "voita2019_figure1"} <= set(planned)


# the points of sweeps on which the claims rest that BLEU hardly drops
CLAIMED = {("news-karvan", "encoder", "10"), ("subtitles-karvan", "encoder", "4")}


def test_a_run_that_no_sheet_has_matters_to_its_study_alone(clone) -> None:
    """Another is planned, and what it trains is for its own items."""
    study = clone / "workflow/studies/voita2019/study.yaml"
    study.write_text(study.read_text().replace("EN-DE: news-velder-s1", "EN-DE: velder"))
    planned = clone.planned("clark2019")
    assert {rule for rule in planned if rule.startswith(("train", "pretrain", "finetune"))} == {"pretrain"}
    assert {rule for rule in planned if rule.startswith("clark2019")} == rules_of("clark2019")
    said = clone.snakemake("--dry-run", "voita2019_figure2", check=False)
    assert said.returncode
    assert re.search(
        r"voita2019/study.yaml:\d+: `scales.miniature.runs.news.EN-DE`: no run 'velder' in the run sheets",
        said.stdout + said.stderr,
    )


def test_an_overlay_adds_rows(clone) -> None:
    row = next(row for row in rows(clone, "miniature") if row["run"] == "news-velder-s1")
    cells = {"run": row["run"], "study": "voita2019"} | {name: row[name] for name in list(row)[2:]}
    head, row = "\t".join(cells), "\t".join(cells.values())
    (clone / "more.tsv").write_text(f"{head}\n{row.replace('news-velder-s1', 'mine')}\n")
    (clone / "more.yaml").write_text(yaml.safe_dump({"runs": {"mine": "more.tsv"}}))
    planned = clone.planned(
        "results/miniature/models/mine/scores.json", options=["--configfile", "more.yaml"]
    )
    assert (planned["train"], planned["translate"]) == (1, 1)
    (clone / "more.tsv").write_text(f"{head}\n{row.replace('base', 'watched')}\n")
    said = clone.snakemake("--dry-run", "--configfile", "more.yaml", check=False)
    assert re.search(
        r"\.tsv:\d: run 'news-velder-s1' is also in \S+; give each run an id of its own",
        said.stdout + said.stderr,
    )


def test_a_model_of_ones_own_as_the_readme_tells(clone) -> None:
    section = (clone / "README.md").read_text().split("To make a study's items with your model")[1]
    *making, command = re.search(r"^```sh\n(.+?)\n```", section, re.DOTALL | re.MULTILINE)[1].splitlines()
    clone.run("bash", "-c", "\n".join(making))
    _, target, *options = command.split()
    planned = clone.planned(target, options=options)
    assert (planned["hub_model"], planned["pretrain"], planned[target]) == (1, 1, 1)
    # and on a text of one's own
    (clone / "path/to/folder").mkdir(parents=True)
    (clone / "path/to/folder/my.txt").write_text("one line .\n")
    with (clone / "config/my-bert.yaml").open("a") as overlay:
        overlay.write(re.search(r"^```yaml\n(.+?)^```", section, re.DOTALL | re.MULTILINE)[1])
    sheet = clone / "config/my-runs.tsv"
    sheet.write_text(sheet.read_text().replace("\tparagraphs\t", "\tmine\t"))
    assert clone.planned(target, options=options)["text"] == 1
    sheet.write_text(sheet.read_text().replace("\tas-is\t", "\tmasked\t"))
    said = clone.snakemake("-n", *options, "--", target, check=False)
    assert re.search(
        r"my-runs\.tsv:2: run 'my-bert' .*is trained on the text 'mine', which has no `subwords`", said.stderr
    )


def test_the_sweeps_of_the_miniature_scale_have_points_enough(clone) -> None:
    sheet = rows(clone, "miniature")
    for corpus in ("news-karvan", "subtitles-karvan"):
        for gates in ("encoder", "all"):
            pruned = [row for row in sheet if (row["corpus"], row["gates"]) == (corpus, gates)]
            assert len({row["target"] for row in pruned}) + 1 >= 6, "with the baseline, six points"
    for point in CLAIMED:
        claimed = [row for row in sheet if (row["corpus"], row["gates"], row["target"]) == point]
        assert {row["seed"] for row in claimed} == {"1", "2", "3"}


def test_the_workstation_scale_is_planned(clone) -> None:
    """Of its data only the first lines of tasks are read, so files that are otherwise empty do."""
    scale = yaml.safe_load((clone / "config/workstation.yaml").read_text())
    for corpus in scale["corpora"].values():
        for source in filter(lambda source: "path" in source, corpus["sources"]):
            for side in (corpus["source"], corpus["target"]):
                path = clone / "data" / f"{source['path'].replace('*', 'any')}.{side}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
    alone = [
        source["path"]
        for text in scale["texts"].values()
        for source in text["sources"] + text["mentions"] + text["senses"]
        if source["type"] != "task"  # their files are those of the tasks below
    ]
    alone += [path.replace(".data.xml", ".gold.key.txt") for path in alone]
    alone += [scale["parsers"]["ewt"]["treebank"][name] for name in ("train", "dev")]
    alone += [scale["corpora"]["news-fr"]["alignments"][name] for name in ("text", "links")]
    heads = {}
    for task in scale["tasks"].values():
        kind = TASKS[task["task"]]
        columns = [*filter(None, kind.columns), kind.label_column]
        for split in ("train", *(task.get("dev") or kind.dev)):
            heads[f"{task['path']}/{split}.tsv"] = "\t".join(columns) + "\n"
    for probes in ("tags", "edge_probes"):
        tasks = filter(None, scale["representations"][probes]["tasks"].values())
        alone += [task[part] for task in tasks for part in ("train", "test")]
    for path in [*alone, *heads]:
        (clone / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / "data" / path).write_text(heads.get(path, ""))
    planned = clone.planned(options=["--configfile", "config/workstation.yaml", "--config", "data=data"])
    sheet = rows(clone, "workstation")
    trainings = ("train", "train_watched", "train_gated", "pretrain", "language_model", "finetune")
    # no study shows the sweeps of the model trained with Adam and their controls, nor the model of the published shape
    others = [row for row in sheet if row["recipe"] in ("gated", "fixed-heads", "scratch", "base")]
    assert sum(planned[rule] for rule in trainings) == len(sheet) - len(others)
    assert {"voita2019_figure7", "synthesis_figure1", "clark2019_table3", "raganato2018_table3"} < set(
        planned
    )


def test_a_copied_study_is_a_study_of_its_own(clone) -> None:
    """Its items and claims have names of their own by its folder, and hang on its own files alone."""
    studies = clone / "workflow/studies"
    shutil.copytree(studies / "kobayashi2020", studies / "mystudy")
    names = {rule.replace("kobayashi2020", "mystudy") for rule in rules_of("kobayashi2020")}
    planned = clone.planned("mystudy")
    assert {rule for rule in planned if rule.startswith("mystudy")} == names
    assert not [rule for rule in planned if rule.startswith("kobayashi2020")]

    def codes() -> dict[str, str]:
        script, of = clone / "workflow/scripts/call.py", {}
        for study in ("kobayashi2020", "mystudy"):
            for path in sorted((studies / study).glob("[!_]*.py")):
                of[f"{study}/{path.stem}"] = fingerprint(script, path)
        return of

    before = codes()
    with (studies / "kobayashi2020/tables.py").open("a") as module:
        module.write("\nMORE = 1\n")
    changed = {name for name, code in codes().items() if code != before[name]}
    assert {"kobayashi2020/tables", "kobayashi2020/table2"} <= changed
    assert not [name for name in changed if name.startswith("mystudy")]
