"""A study's items with their provenance, as a Workflow Run RO-Crate for publication.

The profiles are Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), Process Run Crate 0.5 and Workflow
RO-Crate 1.0. The crate holds the items (svg, pdf, csv), the verdicts, run.json of every model, the config after all
overlays, the run sheets, the study's description and the workflow's files. It does not hold raw corpora, but the names
and SHA-256 of each model's inputs. Comparing hashes shows in what two crates differ.
"""

import json
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from headwork.corpora.sources.hashes import sha256
from headwork.run.frame import Files
from headwork.run.metadata import METADATA, read_record
from headwork.run.outputs import write_json
from headwork.settings.studies import Study
from headwork.studies.study import read_study

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
LICENCE = "https://spdx.org/licenses/MIT"
COMPLETED = {"@id": "http://schema.org/CompletedActionStatus"}
FORMATS = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".smk": "text/plain",
    ".yaml": "application/yaml",
}


@dataclass(frozen=True)
class Made:
    """The contents of a crate; paths are relative to its root.

    items     item -> its files; `claims` is one of them
    runs      run.json of every model that the items depend on
    workflow  the workflow's files by their paths in the repository, Snakefile first
    config    the settings after all overlays
    sheets    the paths of the run sheets, among those of `workflow`
    """

    items: Mapping[str, Sequence[Path]]
    runs: Sequence[Path]
    workflow: Mapping[str, Path]
    config: Mapping[str, Any]
    sheets: Sequence[str]


def write_crate(study: Study, made: Made, output: Path, metadata: Path | None = None) -> None:
    """Write the crate as a .zip. `metadata` is Snakemake's metadata folder, which has the times of files."""
    crate = ROCrate(version="1.1")  # the RO-Crate version of the profiles
    crate.metadata.extra_contexts.append(TERMS)
    facts = [json.loads(path.read_text(encoding="utf-8")) for path in made.runs]
    began, ended = times([path for files in made.items.values() for path in files], metadata)
    _root(crate, study, made, ended)
    with TemporaryDirectory() as folder:
        settings = Path(folder) / "config.json"
        # the data folder is a path on a local disk, without meaning elsewhere
        write_json(settings, {**made.config, "data": None})
        workflow, parts = _workflow(crate, made, facts)
        config = _file(crate, settings, "config.json", "The config as it was after all overlays")
        results = _results(crate, study, made)
        runs = [_run(crate, path, fact) for path, fact in zip(made.runs, facts, strict=True)]
        read = [config, *map(parts.get, made.sheets), *_parameters(crate, workflow, config, made)]
        about = {
            "name": f"{study.cited} at the scale '{made.config['scale']}'",
            "description": f"Every item of {study.title!r} that this scale can make",
            "actionStatus": COMPLETED,
            **({"startTime": began, "endTime": ended} if began else {}),
        }
        result = [file for files in results.values() for file in files]
        action = crate.add_action(workflow, "#study", object=read, result=result, properties=about)
        crate.root_dataset["mentions"] = [action, *runs]
        output.parent.mkdir(parents=True, exist_ok=True)
        crate.write_zip(output)


def times(files: Sequence[Path], metadata: Path | None) -> tuple[str | None, str | None]:
    """Return when the first file was started and the last finished by Snakemake's metadata (ISO 8601, UTC), or None."""
    records = [record for path in files if (record := read_record(path, metadata))]
    found = [moment for record in records for moment in (record.began, record.ended)]
    if not found:
        return None, None
    ends = (datetime.fromtimestamp(moment, UTC) for moment in (min(found), max(found)))
    return tuple(moment.isoformat(timespec="seconds") for moment in ends)


def _entity(crate: ROCrate, key: str, kind: str, /, **properties: str | Entity) -> Entity:
    return crate.add(ContextEntity(crate, key, {"@type": kind, **properties}))


def _root(crate: ROCrate, study: Study, made: Made, ended: str | None) -> None:
    root = crate.root_dataset
    root["name"] = f"{study.cited}: tables and figures, made again at the scale '{made.config['scale']}'"
    root["description"] = (
        f"The items of {study.authors}, {study.title!r} ({study.venue}), regenerated by headwork, with the "
        "published numbers beside them, and what they were made by and from."
    )
    root["license"] = _entity(crate, LICENCE, "CreativeWork", name="MIT License")
    root["datePublished"] = ended or datetime.now(UTC).date().isoformat()
    root["conformsTo"] = [
        _entity(crate, url, "CreativeWork", name=name, version=version)
        for url, (name, version) in PROFILES.items()
    ]
    paper = {"name": study.title, "creditText": study.authors, "publisher": study.venue}
    root["citation"] = _entity(crate, f"#{study.key}", "ScholarlyArticle", **paper)


def _workflow(
    crate: ROCrate, made: Made, facts: Sequence[Mapping[str, Any]]
) -> tuple[Entity, dict[str, Entity]]:
    """Add the workflow with its files, and the software of the runs with versions."""
    (name, front), *others = made.workflow.items()
    workflow = crate.add_workflow(front, name, main=True, lang="snakemake", properties={"name": "headwork"})
    _describe(workflow, front)
    commits = {fact["commit"] for fact in facts if fact.get("commit")}
    workflow["version"] = ", ".join(sorted(commits)) or "unknown"
    workflow["license"] = {"@id": LICENCE}
    parts = {path: _file(crate, file, path, "Part of the workflow") for path, file in others}
    workflow["hasPart"] = list(parts.values())
    versions = {(name, version) for fact in facts for name, version in fact.get("versions", {}).items()}
    workflow["softwareRequirements"] = []
    for name, version in sorted(versions):
        about = {"name": name, "softwareVersion": version, "version": version}
        software = _entity(crate, f"#{name}-{version}", "SoftwareApplication", **about)
        workflow.append_to("softwareRequirements", software)
    return workflow, parts


def _results(crate: ROCrate, study: Study, made: Made) -> dict[str, list[Entity]]:
    """Add the files of each item, with its description, as outputs of the workflow."""
    shown = {item.key: f"{item.title}: {item.shows}" for item in study.items}
    shown["claims"] = "The study's claims: the published value, this run's, and a verdict"
    workflow, results = crate.mainEntity, {}
    for item, files in made.items.items():
        entities = [_file(crate, path, path.as_posix(), shown[item]) for path in files]
        output = crate.add_formal_parameter(item, "File", f"#output-{item}", shown[item])
        for entity in entities:
            entity["exampleOfWork"] = output
        workflow.append_to("output", output)
        results[item] = entities
    return results


def _parameters(crate: ROCrate, workflow: Entity, config: Entity, made: Made) -> list[Entity]:
    """Add the inputs of the run: the config as a file, and its scale and machine settings."""
    about = "The settings; docs/config explains every key"
    given = crate.add_formal_parameter("config", "File", "#input-config", about, valueRequired=True)
    config["exampleOfWork"] = given
    workflow.append_to("input", given)
    values = []
    for name in ("scale", "device"):
        formal = crate.add_formal_parameter(name, "Text", f"#input-{name}", f"The setting `{name}`")
        workflow.append_to("input", formal)
        about = {"name": name, "value": str(made.config[name]), "exampleOfWork": formal}
        values.append(_entity(crate, f"#{name}", "PropertyValue", **about))
    return values


def _run(crate: ROCrate, path: Path, fact: Mapping[str, Any]) -> Entity:
    """Add one trained model as an action: its run-sheet row, the SHA-256 of its inputs, and run.json as result."""
    row = fact["settings"]["run"]
    name = row["run"]
    recorded = _file(crate, path, path.as_posix(), f"Settings, data, machine and versions of the run {name}")
    parts = []
    for file, digest in fact["inputs"].items():
        about = {"name": f"{row['corpus']}/{file}", "identifier": digest, "sha256": digest}
        parts.append(_entity(crate, f"#{digest}", "CreativeWork", **about))
    for key in ("objective", "architecture", "recipe", "seed", "init_run", "gates", "penalty", "target"):
        if row.get(key) not in (None, ""):
            parts.append(_entity(crate, f"#{name}-{key}", "PropertyValue", name=key, value=str(row[key])))
    torch = fact.get("versions", {}).get("torch", "unknown")
    action = _entity(
        crate,
        f"#run-{name}",
        "CreateAction",
        name=f"The run {name}",
        description=f"One row of the run sheet: {row['objective']} on {row['corpus']}",
    )
    action["actionStatus"] = COMPLETED
    action["instrument"] = crate.get(f"#torch-{torch}") or crate.mainEntity
    action["object"] = parts
    action["result"] = [recorded]
    return action


def _file(crate: ROCrate, path: Path, at: str, description: str) -> Entity:
    entity = crate.add_file(path, at, properties={"name": at, "description": description})
    _describe(entity, path)
    return entity


def _describe(entity: Entity, path: Path) -> None:
    """Add size, type and SHA-256 of a file."""
    entity["contentSize"] = str(path.stat().st_size)
    entity["encodingFormat"] = FORMATS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    entity["sha256"] = sha256(path)


def pack_study(
    input: Files,
    output: Files,
    study_items: Sequence[str],
    names: Sequence[str],
    sheets: Sequence[str],
    config: Mapping[str, Any],
) -> None:
    """Pack a study as a Workflow Run RO-Crate (`crate`, zip).

    `input` has the files of each of the `study_items` by its name, `runs`, the `study` file, and the files of the
    `workflow`, which the crate calls `names`.
    """
    made = Made(
        {item: getattr(input, item) for item in study_items},
        input.runs,
        dict(zip(names, input.workflow, strict=True)),
        dict(config),
        sheets,
    )
    write_crate(read_study(input.study), made, output.crate, METADATA)
