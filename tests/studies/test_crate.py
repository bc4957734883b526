"""A study's crate says what was made, by what and from what; and it is one by its profiles."""

import base64
import hashlib
import json
import zipfile
from pathlib import Path

import pytest
import requests
import rocrate
from rocrate.rocrate import ROCrate

from headwork.studies.crate import PROFILES, Made, write_crate
from headwork.studies.study import read_study

SECRET = "hf_abcdefghijklmnop"
ITEMS = {"figure1": ["svg", "pdf", "csv"], "table1": ["svg", "pdf", "csv"], "claims": ["csv"]}
SHEET, STUDY = (f"workflow/studies/clark2019/{name}" for name in ("runs.tsv", "study.yaml"))
WORKFLOW = ["Snakefile", "workflow/rules/common.smk", SHEET, STUDY]


def run_json(run: str) -> dict:
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("train.txt", "tokenizer.json")}
    row = {"run": run, "corpus": "paragraphs", "objective": "mlm", "architecture": "bert", "recipe": "masked"}
    return {
        "settings": {"run": row | {"seed": 1, "init_run": None}},
        "inputs": digests,
        "versions": {"python": "3.11.7", "torch": "2.13.0+cpu"},
        "commit": "8752dd0d53b19706bc7e48f194ed008cfdd371b7",
    }


@pytest.fixture
def packed(tmp_path, root, monkeypatch):
    """A crate of a few items and two runs, and the folder in which they were made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    items = {}
    metadata = Path(".snakemake/metadata")
    metadata.mkdir(parents=True)
    for item, endings in ITEMS.items():
        items[item] = [Path(f"results/miniature/studies/clark2019/{item}.{ending}") for ending in endings]
        for number, path in enumerate(items[item]):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{path}\n")
            known = {"rule": "voita2019_figure7", "starttime": 1000.0 + number, "endtime": 2000.0 + number}
            name = base64.urlsafe_b64encode(str(path).encode()).decode()
            (metadata / name).write_text(json.dumps(known))
    runs = [Path(f"results/miniature/models/{run}/run.json") for run in ("bert-s1", "bert-untrained")]
    for path in runs:
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(run_json(path.parent.name)))
    config = {"scale": "miniature", "device": "cpu", "data": "/home/me", "token": SECRET}
    made = Made(items, runs, {name: root / name for name in WORKFLOW}, config, [SHEET])
    output = tmp_path / "crates/clark2019.zip"
    write_crate(read_study(root / STUDY), made, output, metadata)
    return output


@pytest.fixture
def entities(packed):
    """The entities of the crate by their ids, as they stand in its metadata."""
    with zipfile.ZipFile(packed) as archive:
        graph = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
    return {entity["@id"]: entity for entity in graph}


def ids(entity, key) -> list[str]:
    found = entity.get(key, [])
    return [one["@id"] for one in (found if isinstance(found, list) else [found])]


def test_rocrate_reads_it_and_every_file_is_there(packed, tmp_path):
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "out")
    crate = ROCrate(tmp_path / "out")
    assert crate.mainEntity.id == "Snakefile"
    files = [entity for entity in crate.data_entities if entity.type != "Dataset"]
    assert len(files) == 7 + 2 + len(WORKFLOW) + 1
    for entity in files:
        path = tmp_path / "out" / entity.id
        assert entity["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest(), entity.id
        assert entity["contentSize"] == str(path.stat().st_size)


def test_what_the_profiles_ask_for(entities):
    """Process Run Crate 0.5, "Requirements"; Workflow Run Crate 0.5, "Requirements"; Workflow RO-Crate 1.0, "Main"."""
    root = entities["./"]
    assert set(ids(root, "conformsTo")) == set(PROFILES)
    assert all(entities[profile]["@type"] == "CreativeWork" for profile in PROFILES)
    assert all(root[key] for key in ("name", "description", "datePublished", "license"))
    workflow = entities[ids(root, "mainEntity")[0]]
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= set(workflow["@type"])
    assert "snakemake" in ids(workflow, "programmingLanguage")[0].lower()
    assert workflow["@id"] in ids(root, "hasPart")
    actions = [entity for entity in entities.values() if entity["@type"] == "CreateAction"]
    assert {action["@id"] for action in actions} == set(ids(root, "mentions"))
    study = next(action for action in actions if ids(action, "instrument") == [workflow["@id"]])
    assert study["@id"] == "#study"
    for action in actions:
        instrument = entities[ids(action, "instrument")[0]]["@type"]
        assert {"SoftwareApplication", "ComputationalWorkflow"} & set(
            [instrument] if isinstance(instrument, str) else instrument
        )
        assert all(at in entities for key in ("object", "result") for at in ids(action, key))
        assert action["actionStatus"]["@id"] == "http://schema.org/CompletedActionStatus"
    # what the run was given and what it made are examples of the workflow's inputs and outputs
    parameters = ids(workflow, "input") + ids(workflow, "output")
    assert all(entities[at]["@type"] == "FormalParameter" for at in parameters)
    assert all(entities[at]["additionalType"] for at in parameters)
    examples = {at for entity in entities.values() for at in ids(entity, "exampleOfWork")}
    assert examples == set(parameters)


def test_inputs_runs_software_parameters_and_figures(entities):
    study = entities["#study"]
    assert len(ids(study, "result")) == 7
    assert entities["results/miniature/studies/clark2019/figure1.csv"]["description"].startswith(
        "Figure 1: example attention maps"
    )
    assert (study["startTime"], study["endTime"]) == (
        "1970-01-01T00:16:40+00:00",
        "1970-01-01T00:33:22+00:00",
    )
    assert entities["#scale"]["value"] == "miniature"
    assert {"config.json", SHEET, "#scale", "#device"} == set(ids(study, "object"))
    run = entities["#run-bert-s1"]
    text = hashlib.sha256(b"train.txt").hexdigest()
    assert entities[f"#{text}"] == {
        "@id": f"#{text}",
        "@type": "CreativeWork",
        "name": "paragraphs/train.txt",
        "identifier": text,
        "sha256": text,
    }
    assert f"#{text}" in ids(run, "object")
    assert entities["#bert-s1-seed"]["value"] == "1"
    assert ids(run, "result") == ["results/miniature/models/bert-s1/run.json"]
    assert entities[ids(run, "instrument")[0]]["version"] == "2.13.0+cpu"
    assert set(ids(entities["Snakefile"], "softwareRequirements")) == {"#python-3.11.7", "#torch-2.13.0+cpu"}


def test_nothing_private_is_in_it(packed):
    with zipfile.ZipFile(packed) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist() if "Snakefile" not in name)
        settings = json.loads(archive.read("config.json"))
    assert SECRET.encode() not in text
    assert settings == {"scale": "miniature", "device": "cpu", "data": None, "token": "[HF_TOKEN]"}


BIOSCHEMAS = {"input": "ComputationalWorkflow#input", "output": "ComputationalWorkflow#output"}
BIOSCHEMAS |= {name: name for name in ("ComputationalWorkflow", "FormalParameter")}


def contexts() -> dict[str, dict]:
    """The contexts of the crate, without a network: RO-Crate's is in rocrate; 1.1 had other addresses of four terms."""
    packaged = Path(rocrate.__file__).parent / "data/ro-crate.jsonld"
    known = json.loads(packaged.read_text())["@context"]
    known |= {name: f"https://bioschemas.org/{path}" for name, path in BIOSCHEMAS.items()}
    terms = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
    return {
        "https://w3id.org/ro/crate/1.1/context": {"@context": known},
        "https://w3id.org/ro/terms/workflow-run/context": {"@context": terms},
    }


@pytest.fixture
def issues(monkeypatch):
    """What the validator of RO-Crate finds in a folder, by a profile. It cannot share an environment with Snakemake."""
    services = pytest.importorskip("rocrate_validator.services", reason="roc-validator is not installed")
    from rocrate_validator.models import Severity, ValidationSettings
    from rocrate_validator.utils.http import HttpRequester

    def answer(_, url, **__):
        response = requests.Response()
        response.status_code = 200 if url in contexts() else 404
        response.headers["Content-Type"] = "application/ld+json"
        response._content = json.dumps(contexts().get(url)).encode()
        return response

    monkeypatch.setattr(HttpRequester, "get", answer, raising=False)

    def found(folder, profile):
        settings = ValidationSettings(
            rocrate_uri=str(folder),
            profile_identifier=profile,
            requirement_severity=Severity.REQUIRED,
            skip_availability_check=True,
        )
        issues = services.validate(settings).get_issues()
        return [f"{issue.check.identifier}: {issue.message}" for issue in issues]

    return found


@pytest.mark.parametrize("profile", ["workflow-run-crate-0.5", "workflow-ro-crate-1.0"])
def test_the_validator_of_ro_crate(packed, tmp_path, issues, profile):
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "out")
    assert issues(tmp_path / "out", profile) == []
    metadata = tmp_path / "out/ro-crate-metadata.json"
    crate = json.loads(metadata.read_text())
    for entity in crate["@graph"]:
        if entity["@id"] == "Snakefile":
            entity["@type"] = "File"
    metadata.write_text(json.dumps(crate))
    assert any("workflow" in issue.lower() for issue in issues(tmp_path / "out", profile))
