"""The schema of the config knows the keys that the library knows, so that a slip is answered before anything runs."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import yaml

from headwork import settings
from headwork.corpora.aligners import AlignerSettings
from headwork.corpora.cleaning import Cleaning
from headwork.corpora.download import Address
from headwork.corpora.miniature.tasks.write import TaskSizes
from headwork.corpora.overlap import Overlap
from headwork.corpora.segments import SegmentSettings
from headwork.corpora.subwords import Subwords
from headwork.errors import InputError
from headwork.heads.alignments_run import AlignmentSettings
from headwork.heads.cancelling import CancellingSettings
from headwork.heads.crops import CropSettings
from headwork.heads.dependency import DependencySettings
from headwork.heads.divergence import DistanceSettings
from headwork.heads.frequency_ranks import RankSettings
from headwork.heads.pattern_network import NetworkSettings
from headwork.heads.pattern_run import PatternRunSettings
from headwork.heads.patterns import PatternSettings
from headwork.heads.places import PlaceSettings
from headwork.heads.roles import RoleSettings
from headwork.heads.run import HeadSettings
from headwork.heads.segments_run import SegmentRunSettings
from headwork.heads.surface import SurfaceSettings
from headwork.heads.task_run import TaskRunSettings
from headwork.heads.token_features import FeatureSettings
from headwork.heads.word_examples import WordExampleSettings
from headwork.heads.words_run import WordRunSettings
from headwork.models.build import Architecture, BertArchitecture, Dropout, Initialisation
from headwork.models.finetuning import FineTuning
from headwork.models.finetuning_run import TaskSettings
from headwork.models.gates import GateSettings
from headwork.models.glue_scores import ScoreSettings
from headwork.models.hub_files import NamedModel
from headwork.models.masking import MaskingSettings
from headwork.models.recipe import Recipe
from headwork.models.score import Scoring
from headwork.models.translate import BeamSearch
from headwork.pruning.disabling_run import DisablingSettings
from headwork.pruning.measures import GateLearning
from headwork.pruning.measures_run import MeasureSettings
from headwork.pruning.ranking_run import RankingSettings
from headwork.pruning.speed import SpeedSettings
from headwork.relevance.attribution import AttributionSettings
from headwork.relevance.attribution_run import AttributionRunSettings
from headwork.relevance.lrp import LRPSettings
from headwork.relevance.run import RelevanceSettings
from headwork.relevance.sensitivity_run import SensitivityRunSettings
from headwork.relevance.trees import TreeSettings
from headwork.relevance.triggers import TriggerSettings
from headwork.representations.analysed_text import TextSettings
from headwork.representations.dependency_probes import ProbeSettings
from headwork.representations.evolution_run import EvolutionSettings, InformationSettings
from headwork.representations.geometry_run import GeometrySettings
from headwork.representations.influence_run import InfluenceSettings
from headwork.representations.layer_distances import DistanceSettings as LayerDistanceSettings
from headwork.representations.linear_probes import LinearSettings as PairProbeSettings
from headwork.representations.plane_run import PlaneSettings
from headwork.representations.preservation import PreservationSettings
from headwork.representations.probes_run import ProbeRunSettings
from headwork.representations.projections import ProjectionSettings
from headwork.representations.semantic_probe import SemanticSettings
from headwork.representations.senses_run import SenseSettings
from headwork.representations.sequence_probe import DecoderSettings
from headwork.representations.states import StatesSettings
from headwork.representations.states_run import MaskedReading
from headwork.representations.structural_probe import StructuralSettings
from headwork.representations.tagging_probes import LinearSettings
from headwork.representations.tags_run import TagSettings
from headwork.representations.tags_run import TaskSettings as TagTaskSettings
from headwork.representations.token_groups import GroupSettings
from headwork.representations.token_projections import TokenProjectionSettings
from headwork.representations.trees_run import InducedTreeSettings
from headwork.representations.word_vectors import VectorSettings

ROOT = Path(__file__).parents[3]
KINDS = {
    "address": Address,
    "overlap": Overlap,
    "cleaning": Cleaning,
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
    ("place", "key", "message"),
    [
        (("recipes", "base"), "step", r"config: `recipes\.base`: unknown key 'step'; did you mean 'steps'\?"),
        (
            ("heads", "rare"),
            "not_amung",
            r"`heads\.rare`: unknown key 'not_amung'; did you mean 'not_among'\?",
        ),
        (
            ("architectures", "miniature"),
            "layers",
            r"`architectures\.miniature`: unknown key 'layers'; did you mean",
        ),
    ],
)
def test_a_slip_of_the_pen_is_answered_before_anything_runs(place, key, message):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    schema = ROOT / "workflow/schemas/config.schema.yaml"
    settings.check(config, schema, "config")
    config[place[0]][place[1]][key] = 1
    with pytest.raises(InputError, match=message):
        settings.check(config, schema, "config")
