"""The schema of the config knows the keys that the library knows, so that a slip is answered before anything runs."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from itertools import repeat
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import yaml
from jsonschema import Draft202012Validator
from snakemake.utils import update_config

from headwork.corpora.annotated.aligners import AlignerSettings
from headwork.corpora.annotated.glue import TASKS
from headwork.corpora.parallel.cleaning import Cleaning
from headwork.corpora.parallel.splits import SPLITS, Shares
from headwork.corpora.running_text.segments import SegmentSettings
from headwork.corpora.selection.select import Selection, TextSource
from headwork.corpora.sources.download import Address
from headwork.corpora.sources.subtitle_overlap import Overlap
from headwork.corpora.subwords.learning import Subwords
from headwork.errors import InputError
from headwork.heads.examples.segments import CropSettings
from headwork.heads.examples.words import WordExampleSettings
from headwork.heads.jobs.alignments import AlignmentSettings
from headwork.heads.jobs.patterns import PatternRunSettings
from headwork.heads.jobs.segment_heads import SegmentRunSettings
from headwork.heads.jobs.task_heads import TaskRunSettings
from headwork.heads.jobs.translation_heads import HeadSettings
from headwork.heads.jobs.word_heads import WordRunSettings
from headwork.heads.norms.cancelling import CancellingSettings
from headwork.heads.norms.frequency_ranks import RankSettings
from headwork.heads.patterns.network import NetworkSettings
from headwork.heads.patterns.rules import PatternSettings
from headwork.heads.statistics.divergence import DistanceSettings
from headwork.heads.statistics.surface import SurfaceSettings
from headwork.heads.statistics.target_positions import PlaceSettings
from headwork.heads.statistics.token_features import FeatureSettings
from headwork.heads.syntax.dependency import DependencySettings
from headwork.heads.syntax.roles import RoleSettings
from headwork.models.architectures.build import (
    BERT,
    FAMILIES,
    Architecture,
    BertArchitecture,
    Dropout,
    Initialisation,
)
from headwork.models.gates.hard_concrete import GateSettings
from headwork.models.jobs.distil import Teacher
from headwork.models.loading.fetching.named_model import NamedModel
from headwork.models.objectives.finetuning import FineTuning
from headwork.models.objectives.glue_tasks import TaskSettings
from headwork.models.objectives.masking import MaskingSettings
from headwork.models.scoring.beam_search import ENGINES, BeamSearch
from headwork.models.scoring.bleu import Scoring
from headwork.models.scoring.glue import ScoreSettings
from headwork.models.training.recipe import Recipe
from headwork.pruning.jobs.disabling import DisablingSettings
from headwork.pruning.jobs.measures import MeasureSettings
from headwork.pruning.jobs.ranking import RankingSettings
from headwork.pruning.measures import GateLearning
from headwork.pruning.speed import SpeedSettings
from headwork.relevance.attributions.self_attention import AttributionSettings
from headwork.relevance.attributions.trees import TreeSettings
from headwork.relevance.attributions.triggers import TriggerSettings
from headwork.relevance.jobs.attribution import AttributionRunSettings
from headwork.relevance.jobs.relevance import RelevanceSettings
from headwork.relevance.jobs.sensitivity import SensitivityRunSettings
from headwork.relevance.propagation.lrp import RULES, LRPSettings
from headwork.representations.distances.layer_distances import DistanceSettings as LayerDistanceSettings
from headwork.representations.information.preservation import PreservationSettings
from headwork.representations.jobs.edge_probes import EdgeRunSettings, EdgeTaskSettings
from headwork.representations.jobs.evolution import EvolutionSettings, InformationSettings
from headwork.representations.jobs.geometry import GeometrySettings
from headwork.representations.jobs.induced_trees import InducedTreeSettings
from headwork.representations.jobs.influence import InfluenceSettings
from headwork.representations.jobs.plane import PlaneSettings
from headwork.representations.jobs.probes import ProbeRunSettings
from headwork.representations.jobs.senses import SenseSettings
from headwork.representations.jobs.states import MaskedReading
from headwork.representations.jobs.structural_probes import StructuralRunSettings
from headwork.representations.jobs.tags import TagSettings
from headwork.representations.jobs.tags import TaskSettings as TagTaskSettings
from headwork.representations.probes.dependency import ProbeSettings
from headwork.representations.probes.edge import EdgeSettings
from headwork.representations.probes.linear import LinearSettings as PairProbeSettings
from headwork.representations.probes.semantic import SemanticSettings
from headwork.representations.probes.sequence import DecoderSettings
from headwork.representations.probes.structural import StructuralSettings
from headwork.representations.probes.tagging import LinearSettings
from headwork.representations.probes.word_vectors import VectorSettings
from headwork.representations.projections.methods import ProjectionSettings
from headwork.representations.projections.tokens import TokenProjectionSettings
from headwork.representations.states.analysed_text import TextSettings
from headwork.representations.states.hidden_states import StatesSettings
from headwork.representations.states.token_groups import GroupSettings
from headwork.settings.config import check
from headwork.settings.options import options
from miniature_world.tasks.write import TaskSizes

ROOT = Path(__file__).parents[3]
KINDS = {
    "address": Address,
    "overlap": Overlap,
    "cleaning": Cleaning,
    "selection": Selection,
    "selected_source": TextSource,
    "teacher": Teacher,
    "shares": Shares,
    "subwords": Subwords,
    "architecture": Architecture,
    "dropout": Dropout,
    "initialisation": Initialisation,
    "recipe": Recipe,
    "gates": GateSettings,
    "translation": BeamSearch,
    "scoring": Scoring,
    "heads": HeadSettings,
    "roles": RoleSettings,
    "task_heads": TaskRunSettings,
    "features": FeatureSettings,
    "pattern_rules": PatternSettings,
    "patterns": PatternRunSettings,
    "pattern_network": NetworkSettings,
    "disabling": DisablingSettings,
    **{name: kind for name, kind in get_type_hints(HeadSettings).items() if is_dataclass(kind)},
    "relevance": RelevanceSettings,
    "lrp": LRPSettings,
    "speed": SpeedSettings,
    "bert": BertArchitecture,
    "named_model": NamedModel,
    "finetuning": FineTuning,
    "task": TaskSettings,
    "task_scoring": ScoreSettings,
    "task_sizes": TaskSizes,
    "segment": SegmentSettings,
    "masking": MaskingSettings,
    "segments": SegmentRunSettings,
    "surface": SurfaceSettings,
    "distance": DistanceSettings,
    "cancelling": CancellingSettings,
    "ranks": RankSettings,
    "crops": CropSettings,
    "words": WordRunSettings,
    "dependency": DependencySettings,
    "word_examples": WordExampleSettings,
    "alignments": AlignmentSettings,
    "aligner": AlignerSettings,
    "sensitivity": SensitivityRunSettings,
    "attribution_run": AttributionRunSettings,
    "attribution": AttributionSettings,
    "tree": TreeSettings,
    "triggers": TriggerSettings,
    "ranking": RankingSettings,
    "measures": MeasureSettings,
    "gate_learning": GateLearning,
    "probes": ProbeRunSettings,
    "vectors": VectorSettings,
    "probe_training": ProbeSettings,
    "plane": PlaneSettings,
    "trees": InducedTreeSettings,
    "places": PlaceSettings,
    "tags": TagSettings,
    "tag_task": TagTaskSettings,
    "linear_probe": LinearSettings,
    "decoder_probe": DecoderSettings,
    "analysed_text": TextSettings,
    "states": StatesSettings,
    "masked_reading": MaskedReading,
    "evolution": EvolutionSettings,
    "information": InformationSettings,
    "groups": GroupSettings,
    "preservation": PreservationSettings,
    "projections": TokenProjectionSettings,
    "influence": InfluenceSettings,
    "distances": LayerDistanceSettings,
    "geometry": GeometrySettings,
    "linear_probes": PairProbeSettings,
    "edge_probes": EdgeRunSettings,
    "edge_task": EdgeTaskSettings,
    "edge_probe": EdgeSettings,
    "structural": StructuralRunSettings,
    "structural_probe": StructuralSettings,
    "senses": SenseSettings,
    "semantic_probe": SemanticSettings,
    "projection": ProjectionSettings,
}
NAMES = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null"}
# what the library may do without, but a scale says all the same, and what it takes beside the dataclass
SAID = {"heads": {"split", "relations"}, "relevance": {"split"}}
BESIDE = {
    "translation": {"scoring"},
    "recipe": {"segments", "masking"},
    "task": {"path", "trees", "download", "folder", "dev_ids"},
    "patterns": {"by_hand"},
    "subwords": {"sources_of"},
    "tags": {"untrained_probes"},
}


@pytest.fixture(scope="module")
def definitions() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())["$defs"]


def named(kind: Any) -> set[str]:
    """The JSON types that a field of that type may have; whole numbers are numbers."""
    if isinstance(kind, UnionType):
        parts = set().union(*map(named, get_args(kind)))
        return parts - {"integer"} if "number" in parts else parts
    plain = get_origin(kind) or kind
    if plain in NAMES:
        return {NAMES[plain]}
    return {"object"} if is_dataclass(plain) or issubclass(plain, Mapping) else {"array"}


@pytest.mark.parametrize("name", KINDS)
def test_the_schema_has_the_keys_and_types_of_the_library(definitions, name):
    shape, kind = definitions[name], KINDS[name]
    types, known = get_type_hints(kind), {field.name for field in fields(kind)}
    assert shape["additionalProperties"] is False
    assert set(shape["properties"]) == known | BESIDE.get(name, set())
    needed = {
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    }
    assert set(shape.get("required", [])) == needed | SAID.get(name, set())
    for key in known:
        entry = shape["properties"][key]
        entry = definitions[entry["$ref"].removeprefix("#/$defs/")] if "$ref" in entry else entry
        written = entry["type"]
        assert set(written if isinstance(written, list) else [written]) == named(types[key]), key


def test_every_definition_is_of_the_library(definitions):
    assert set(definitions) == set(KINDS)


@pytest.mark.parametrize(
    ("name", "key", "known"),
    [
        ("architecture", "family", (*FAMILIES, BERT)),
        ("translation", "engine", ENGINES),
        ("heads", "split", SPLITS),
        ("relevance", "split", SPLITS),
        ("analysed_text", "split", SPLITS),
        ("lrp", "rule", RULES),
        ("task", "task", TASKS),
    ],
)
def test_choices_are_those_of_the_library(definitions, name, key, known):
    assert set(definitions[name]["properties"][key]["enum"]) == set(known)


def test_columns_are_counted_from_one():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"studies": {}}
    schema = ROOT / "workflow/schemas/config.schema.yaml"
    source = config["corpora"]["news-karvan"]["sources"][0]
    source["columns"] = {"source": 1, "target": "ru"}
    check(config, schema, "config")
    source["columns"] = {"source": 0, "target": 1}
    with pytest.raises(InputError, match=r"sources\.0\.columns\.source`: 0 is less than the minimum of 1"):
        check(config, schema, "config")


SCALES = {
    "miniature": [],
    "smoke": ["tests/config/smoke.yaml"],
    "workstation": ["config/workstation.yaml"],
    "paper": ["config/paper.yaml"],
    "paper-open": ["config/paper.yaml", "config/paper-open.yaml"],
}


def parts_of(
    shape: Any, value: Any, place: str, definitions: dict[str, Any]
) -> Iterator[tuple[str, str, Any]]:
    """Every part of a config that is a definition of the schema: name, place and value."""
    for condition in filter(lambda each: "if" in each, [shape]):
        chosen = "then" if Draft202012Validator(condition["if"]).is_valid(value) else "else"
        yield from parts_of(condition.get(chosen, {}), value, place, definitions)
    for choice in shape.get("oneOf", []) if value is not None else []:
        yield from parts_of(choice, value, place, definitions)
    if "$ref" in shape and value is not None:
        name = shape["$ref"].removeprefix("#/$defs/")
        yield name, place, value
        yield from parts_of(definitions[name], value, place, definitions)
    if isinstance(value, dict):
        others = shape.get("additionalProperties") or {}
        for key, part in value.items():
            yield from parts_of(
                shape.get("properties", {}).get(key, others), part, f"{place}.{key}", definitions
            )
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from parts_of(shape.get("items", {}), part, f"{place}.{number}", definitions)


def taken(config: dict[str, Any]) -> set[str]:
    """Let the library take every part of a config; the names of those that there are."""
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    parts = list(parts_of(schema, config, "config", schema["$defs"]))
    for name, place, part in parts:
        own = {key: value for key, value in part.items() if key not in BESIDE.get(name, ())}
        options(KINDS[name], own, place)
    return {name for name, _, _ in parts}


@pytest.mark.parametrize("name", SCALES)
def test_the_library_takes_every_setting_of_every_scale(name):
    """What a job would refuse after days is refused here."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    for path in SCALES[name]:
        update_config(config, yaml.safe_load((ROOT / path).read_text()))
    assert len(taken(config)) > 50
    config["attribution"]["triggers"]["tried"] = 0
    with pytest.raises(InputError, match="triggers: tried is 0"):
        taken(config)


def documentable(shape: Any, definitions: dict[str, Any], path: str, home: str) -> Iterator[tuple[str, str]]:
    """Every key as its path in a config, and as its place in the schema, to which several paths may lead."""
    if "$ref" in shape:
        home = shape["$ref"].removeprefix("#/$defs/")
        shape = definitions[home]
    for key, part in shape.get("properties", {}).items():
        yield f"{path}{key}", f"{home}.{key}"
        yield from documentable(part, definitions, f"{path}{key}.", f"{home}.{key}")
    if isinstance(entries := shape.get("additionalProperties"), dict):
        yield from documentable(entries, definitions, f"{path}<id>.", home)
    for part in [*filter(None, map(shape.get, ("items", "then", "else"))), *shape.get("oneOf", [])]:
        yield from documentable(part, definitions, path, home)


def documented() -> Iterator[tuple[str, str | None]]:
    """Every key in a table of docs/config, with its default as the table gives it."""
    for page in sorted((ROOT / "docs/config").glob("*.md")):
        section = ""
        for line in page.read_text().splitlines():
            if line.startswith("## "):
                section = "".join(f"{prefix}." for prefix in re.findall(r"^## `(.+?)`", line))
            if len(cells := re.findall(r"\| (.*?) (?=\|)", line)) == 3 and cells[0].startswith("`"):
                keys, defaults = (re.findall(r"`(.+?)`|(required|–)", cells[place]) for place in (0, 2))
                told = (
                    [value or word for value, word in defaults]
                    if len(defaults) == len(keys)
                    else repeat(None)
                )
                for (key, _), default in zip(keys, told, strict=False):
                    yield f"{section}{key}", default


def test_every_key_is_documented_once(definitions):
    """And nothing else is; `seed` and `tokens` once for all in config/README.md."""
    homes = defaultdict(set)
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    for path, home in documentable(schema, definitions, "", ""):
        homes[path].add(home)
    told = Counter(path for path, _ in documented())
    assert set(told) - set(homes) == set(), "there are no such keys"
    explained = set().union(*(homes[path] for path in told))
    everywhere = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "config/README.md").read_text(), re.MULTILINE))
    leaves = [path for path in homes if not any(other.startswith(f"{path}.") for other in homes)]
    missing = {home for path in leaves for home in homes[path]} - explained
    missing = {home for home in missing if home.split(".")[-1] not in everywhere}
    assert missing == set(), "no page explains these"
    assert [path for path, times in told.items() if times > len(homes[path])] == [], (
        "these are explained twice"
    )


def test_documented_defaults_are_those_of_the_library(definitions):
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    defaults = defaultdict(list)
    for path, home in documentable(schema, definitions, "", ""):
        name, _, key = home.partition(".")
        for field in fields(KINDS[name]) if name in KINDS else ():
            if field.name == key:
                made = field.default_factory() if field.default_factory is not MISSING else field.default
                defaults[path].append("required" if made is MISSING else made)
    checked = 0
    for path, default in documented():
        if default in (None, "–"):
            continue
        value = yaml.safe_load(default)
        value = tuple(value) if isinstance(value, list) else value
        assert value in defaults[path], f"{path}: {default}"
        checked += 1
    assert checked > 250
