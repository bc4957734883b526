"""What can be known of the workflow without running it: its form and its plan."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from headwork.papers.study import items_table, read_study

from headwork.corpora.annotated.glue import TASKS
from headwork.models.jobs.trainers import TRAINERS
from headwork.run.frame import function_at
from headwork.run.versions import LOCK, NO_RESULTS, NOW, Locked, read_lock, write_lock

pytestmark = pytest.mark.workflow


def test_the_linter_finds_nothing(clone) -> None:
    assert "Congratulations" in clone.snakemake("--lint").stderr


def test_the_rules_are_formatted(clone) -> None:
    clone.run("snakefmt", "--check", "Snakefile", "workflow")


def test_every_item_is_a_rule_with_a_sentence(clone, root: Path) -> None:
    listed = clone.snakemake("--list-rules").stdout
    for study in map(read_study, sorted((root / "config/papers").glob("*.yaml"))):
        for item in study.items:
            assert re.search(rf"^{item.rule} \({study.cited}, {item.title}: .+\)$", listed, re.M), listed


def test_the_profiles_name_rules_that_there_are(clone, root: Path) -> None:
    rules = {line.split()[0] for line in clone.snakemake("--list-rules").stdout.splitlines() if line.strip()}
    for name in ("slurm", "kubernetes"):
        profile = yaml.safe_load((root / f"profiles/{name}/profile.yaml").read_text())
        assert set(profile["set-resources"]) <= rules


def test_a_page_finds_every_figure(root: Path) -> None:
    in_order = yaml.safe_load((root / "config/config.yaml").read_text())["papers"]
    studies = [read_study(root / f"config/papers/{study}.yaml") for study in in_order]
    page = (root / "docs/items.md").read_text()
    shown = page.split("a test compares -->\n")[1].split("<!-- /items -->")[0]
    assert shown.strip() == items_table(studies).strip()


FETCHED = {"download", "hub_model", "stanza_models"}  # what an address, or a version, decides


def test_every_rule_that_makes_something_carries_its_version(root: Path) -> None:
    """By its own name, and with the hash of its script, and of its function if it calls one."""
    scripts, trainers = {}, set()
    for path in sorted((root / "workflow/rules").rglob("*.smk")):
        for rule in re.split(r"^ *(?=(?:use )?rule\b)", path.read_text(), flags=re.M)[1:]:
            if "    output:" not in rule and not rule.startswith("use"):
                continue
            if path.name == "together.smk":  # its jobs have the parameters of other rules
                continue
            head = rule.split(":")[0]
            script = re.search(r'^ *"(?:\.\./)+(.+\.py)"$', rule, re.M)
            if rule.startswith("use"):
                _, _, base, _, name, _ = head.split()
                scripts[name] = scripts[base]
            else:
                assert script, f"{path.name}: {head} has no script"
                scripts[name := head.removeprefix("rule").strip()] = script[1]
            carried = scripts[name].replace("{params.item}", "{study.key}/{item.key}")
            if scripts[name] == "scripts/job.py":
                function = re.search(rf'\*\*calls\("{name}", "(headwork\..+)"\)', rule)
                assert function, f"{path.name}: {head} names no function"
                assert callable(function_at(function[1]))
            elif scripts[name] == "scripts/train.py":
                trainer = re.search(rf'version=trained_by\("{name}", "(\w+)"\)', rule)
                assert trainer, head
                trainers.add(trainer[1])
            elif name in FETCHED:
                assert "version=" not in rule
            else:
                job = f'"{name}"' if name else r"item\.rule"
                assert re.search(rf'version=version\({job}, f?"workflow/{re.escape(carried)}"\)', rule), head
    assert set(scripts.values()) >= {"scripts/job.py", "scripts/train.py"}
    assert trainers == {place.partition(".")[0] for place in TRAINERS.values()}


def test_the_lock_is_of_the_code_as_it_is(clone) -> None:
    clone.snakemake("--list-rules")
    hashes = json.loads((clone / NOW).read_text())
    lock = read_lock(clone / LOCK)
    assert set(lock) == set(hashes) - set(NO_RESULTS), f"{LOCK} must have a line for each job, and no other"
    edited = [job for job, line in lock.items() if line.hash != hashes[job]]
    assert not edited, f"the code of {edited} is not that in {LOCK}: run `make verify against=COMMIT`"


def test_the_smoke_scale_reaches_every_job_of_the_lock(clone) -> None:
    options = ["--configfile", "tests/config/smoke.yaml"]
    planned = clone.planned("all", "all_weights", options=options)
    assert set(read_lock(clone / LOCK)) - set(planned) == set(), "`make verify` cannot compare what they make"


def test_an_edit_makes_what_it_changes_out_of_date_and_another_version_too(clone) -> None:
    """Of the tables of a study that are there; a function that moved changes nothing that is recorded."""
    options = ["--configfile", "tests/config/smoke.yaml"]
    table = "results/smoke/parses/treebanks/world/train.conllu"
    clone.snakemake(*options, "--config", "together=False", "--", table)
    assert clone.planned(table, options=options) == {}
    script = clone / "workflow/scripts/treebank.py"
    text = script.read_text()
    script.write_text(text + "# a comment\n")
    assert clone.planned(table, options=options) == {}
    script.write_text(text + "EDITED = True\n")
    assert clone.planned(table, options=options) == {"treebank": 1}
    lock = read_lock(clone / LOCK)
    hashes = json.loads((clone / NOW).read_text())
    write_lock(clone / LOCK, lock | {"treebank": lock["treebank"]._replace(hash=hashes["treebank"])})
    assert clone.planned(table, options=options) == {}, "verified"
    write_lock(clone / LOCK, lock | {"treebank": Locked(lock["treebank"].version + 1, hashes["treebank"])})
    assert clone.planned(table, options=options) == {"treebank": 1}


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


def test_dvc_shows_every_item_of_both_scales(root: Path) -> None:
    shown = [
        name for name in yaml.safe_load((root / "dvc.yaml").read_text())["plots"] if isinstance(name, str)
    ]
    wanted = {
        f"results/{scale}/papers/{item.study}/{item.key}.svg"
        for scale in ("miniature", "workstation")
        for study in map(read_study, (root / "config/papers").glob("*.yaml"))
        for item in study.items
    }
    assert sorted(shown) == sorted(wanted)


def test_tables_have_names_that_items_use(root: Path) -> None:
    tables = yaml.safe_load((root / "config/tables.yaml").read_text())
    studies = [read_study(path) for path in sorted((root / "config/papers").glob("*.yaml"))]
    read = {table for study in studies for item in study.items for table in item.tables}
    claimed = {table for study in studies for table in study.tables}
    assert read | claimed == set(tables)


def test_published_numbers_that_items_show_are_there(root: Path) -> None:
    studies = [read_study(path) for path in sorted((root / "config/papers").glob("*.yaml"))]
    shown = {file for study in studies for item in study.items for file in item.published.values()}
    there = {f"{path.parent.name}/{path.stem}" for path in (root / "config/published").glob("*/*.csv")}
    assert shown == there


ITEMS = {
    f"{study}_{item}"
    for study, items in {
        "voita2019": [*(f"figure{number}" for number in range(1, 11)), "table1", "table2"],
        "clark2019": [
            *(f"figure{number}" for number in range(1, 7)),
            *(f"table{number}" for number in (1, 2, 3)),
        ],
        "kobayashi2020": ["table1", *(f"figure{number}" for number in range(3, 8)), "table2"],
        "kovaleva2019": [*(f"figure{number}" for number in (1, 2, 3, *range(5, 11))), "table1"],
        "hao2021": [*(f"figure{number}" for number in range(1, 7)), "table1"],
        "raganato2018": ["figure1", *(f"table{number}" for number in range(1, 5))],
        "synthesis": ["figure1", "figure2", "table1"],
        "coenen2019": ["table0", *(f"figure{number}" for number in range(2, 6)), "table1", "table2"],
        "hewitt2019": ["table1", *(f"figure{number}" for number in range(1, 6))],
        "tenney2019": ["figure1", "figure2", "figure3"],
        "voita2019b": [f"figure{number}" for number in range(1, 13)],
    }.items()
    for item in items
}


def rows(clone, sheet: str) -> list[dict[str, str]]:
    """The rows of a run sheet."""
    with (clone / sheet).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_miniature_scale_is_planned_from_nothing(clone) -> None:
    sheet = rows(clone, "config/runs.tsv")
    planned = clone.planned()
    translating = [row for row in sheet if row["objective"] == "translation"]
    whole = [row["run"] for row in translating if row["gates"] == "none"]
    # one of them is watched while it learns
    assert planned["train"] + planned["train_watched"] == len(whole) == 10
    assert planned["train_gated"] == len(translating) - len(whole)
    # our own BERT and its control; the published one as it is, its untrained control, and its masked-word head
    assert planned["pretrain"] == 2 + 3
    assert planned["hub_model"] == 2
    assert planned["finetune"] == 7 * 3 + 7
    assert planned["disabling"] == 7 * 3
    assert planned["language_model"] == 5
    # what has been looked at, and in a masked language model also masked; the other seeds are only compared
    assert planned["states"] == 9 + 1
    assert (planned["evolution"], planned["influence"], planned["layer_distances"]) == (4, 5, 1)
    # three pairs' encoders and a control
    assert planned["induced_trees"] == 4
    assert planned["tags"] == 2
    # figure 8 looks into the heads of the encoder's sweep on subtitles, figures 1 and 2 at three runs' relevance
    swept = [row for row in sheet if (row["corpus"], row["gates"]) == ("subtitles-karvan", "encoder")]
    # and not into those of the three models of the small pair and voita2019b's two
    assert planned["heads"] == len(whole) - 5 + len(swept)
    # and the run whose measures are compared
    assert planned["relevance"] == 3 + 1
    assert planned["pruning"] == 2
    assert set(planned) > ITEMS


def test_the_miniature_scale_takes_few_jobs(clone) -> None:
    planned = clone.planned(together=True)
    assert 2 * sum(planned.values()) < sum(clone.planned().values())
    # two points of each sweep, a task's three seeds, and what is measured on them
    assert {"train_news_karvan_e32_and_on", "finetune_mnli", "measure_mnli", "parse_corpora"} <= set(planned)
    assert not {"stanza_parses", "disabling", "attribution", "translate", "states"} & set(planned)
    assert planned["train_gated"] == 2, "the models from scratch"
    assert {
        rule for rule in clone.planned("clark2019", together=True) if re.match("train|finetune", rule)
    } <= {"train_world"}


# the points of sweeps on which the claims rest that BLEU hardly drops
CLAIMED = {("news-karvan", "encoder", "10"), ("subtitles-karvan", "encoder", "4")}


def test_a_run_that_no_sheet_has_matters_to_its_study_alone(clone) -> None:
    config = clone / "config/config.yaml"
    config.write_text(config.read_text().replace("EN-DE: news-velder-s1", "EN-DE: velder"))
    assert clone.planned("clark2019")["clark2019"] == 1
    said = clone.snakemake("--dry-run", "voita2019_figure2", check=False)
    assert said.returncode
    assert (
        "`papers.voita2019.runs.news.EN-DE`: no run 'velder' in the run sheets" in said.stdout + said.stderr
    )


def test_an_overlay_adds_rows(clone) -> None:
    lines = (clone / "config/runs.tsv").read_text().splitlines()
    head, row = lines[0], next(line for line in lines if line.startswith("news-velder-s1\t"))
    (clone / "more.tsv").write_text(f"{head}\n{row.replace('news-velder-s1', 'mine')}\n")
    (clone / "more.yaml").write_text(yaml.safe_dump({"runs": {"mine": "more.tsv"}}))
    planned = clone.planned(
        "results/miniature/models/mine/scores.json", options=["--configfile", "more.yaml"]
    )
    assert (planned["train"], planned["translate"]) == (1, 1)
    (clone / "more.tsv").write_text(f"{head}\n{row}\n")
    said = clone.snakemake("--dry-run", "--configfile", "more.yaml", check=False)
    assert re.search(
        r"\.tsv:\d: run 'news-velder-s1' is also in \S+; give each run an id of its own",
        said.stdout + said.stderr,
    )


def test_scales_lie_beside_each_other(clone) -> None:
    planned = clone.planned(
        "results/smoke/papers/claims.csv", options=["--configfile", "tests/config/smoke.yaml"]
    )
    assert planned["verdicts"] == 1


def test_one_study_trains_nothing_for_others(clone) -> None:
    planned = clone.planned("clark2019")
    assert {rule for rule in planned if rule.startswith(("train", "pretrain", "finetune"))} == {"pretrain"}
    assert planned["claims"] == 1
    assert {rule for rule in planned if rule.startswith("clark2019")} == {
        "clark2019", *(f"clark2019_figure{n}" for n in range(1, 7)), *(f"clark2019_table{n}" for n in range(1, 4))
    }  # fmt: skip


def test_states_are_probed_once_a_run(clone) -> None:
    planned = clone.planned("coenen2019")
    assert {rule for rule in planned if rule.startswith(("train", "pretrain", "finetune"))} == {"pretrain"}
    # the trained run and the untrained one
    assert (planned["pretrain"], planned["geometry"], planned["senses"]) == (2, 2, 2)
    assert {rule for rule in planned if rule.startswith("coenen2019_")} == {
        item for item in ITEMS if item.startswith("coenen2019_")
    }


def test_a_model_of_the_hub_comes_by_a_job_of_its_own_to_a_corpus_too(clone) -> None:
    with (clone / "config/runs.tsv").open("a") as sheet:
        sheet.write("hub\traganato2018\tnews-karvan\tmlm\tnamed\tuntrained\t1\t\tnone\t0\t\n")
    overlay = {"architectures": {"named": {"model": "someone/bert"}}}
    (clone / "hub.yaml").write_text(yaml.safe_dump(overlay))
    planned = clone.planned(
        "results/miniature/models/hub/model.safetensors", options=["--configfile", "hub.yaml"]
    )
    assert (planned["hub_model"], planned["language_model"]) == (1, 1)


def test_a_model_of_ones_own_as_the_readme_tells(clone) -> None:
    section = (clone / "README.md").read_text().split("To make a study's items with your model")[1]
    *making, command = re.search(r"^```sh\n(.+?)\n```", section, re.DOTALL | re.MULTILINE)[1].splitlines()
    clone.run("bash", "-c", "\n".join(making))
    _, target, *options = command.split()
    planned = clone.planned(target, options=options)
    assert (planned["hub_model"], planned["pretrain"], planned[target]) == (1, 1, 1)


def test_the_sweeps_of_the_miniature_scale_have_points_enough(clone) -> None:
    sheet = rows(clone, "config/runs.tsv")
    for corpus in ("news-karvan", "subtitles-karvan"):
        for gates in ("encoder", "all"):
            pruned = [row for row in sheet if (row["corpus"], row["gates"]) == (corpus, gates)]
            assert len({row["target"] for row in pruned}) + 1 >= 6, "with the baseline, six points"
    for point in CLAIMED:
        claimed = [row for row in sheet if (row["corpus"], row["gates"], row["target"]) == point]
        assert {row["seed"] for row in claimed} == {"1", "2", "3"}


def test_the_smoke_scale_makes_every_kind_of_file(clone) -> None:
    planned = clone.planned(options=["--configfile", "tests/config/smoke.yaml"])
    assert set(planned) > ITEMS
    assert planned["train_gated"] == 3
    assert planned["tags"] == planned["induced_trees"] - 2 == 2
    assert planned["remove_heads"] == 1


def test_the_workstation_scale_is_planned(clone) -> None:
    """Of its data only the first lines of tasks are read, so files that are otherwise empty do."""
    scale = yaml.safe_load((clone / "config/workstation.yaml").read_text())
    for corpus in scale["corpora"].values():
        for source in corpus["sources"]:
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
    sheet = rows(clone, "config/runs-workstation.tsv")
    trainings = ("train", "train_watched", "train_gated", "pretrain", "language_model", "finetune")
    # no study shows the sweeps of the model trained with Adam and their controls, nor the model of the published shape
    others = [row for row in sheet if row["recipe"] in ("gated", "fixed-heads", "scratch", "base")]
    assert sum(planned[rule] for rule in trainings) == len(sheet) - len(others)
    # of each task three seeds, and one from random weights; and the model of SNLI, from which RTE starts
    assert planned["finetune"] == 4 * (len(scale["tasks"]) - 1) + 1
    assert {"voita2019_figure1", "voita2019_figure7", "voita2019_figure8", "synthesis_figure1"} < set(planned)
    assert {"clark2019_table3", "kobayashi2020_figure6", "raganato2018_table3"} < set(planned)
