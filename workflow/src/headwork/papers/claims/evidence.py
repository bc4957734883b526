"""The tables that a study's claims are tested on, read from the files of the phases before."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.papers.tables import attribution as attribution_tables
from headwork.papers.tables import encoders as encoder_tables
from headwork.papers.tables import evolution as evolution_tables
from headwork.papers.tables import geometry as geometry_tables
from headwork.papers.tables import probing as probing_tables
from headwork.papers.tables import readers as tables
from headwork.papers.tables import tasks as task_tables

# by table, as `headwork.papers.study.claim_runs` names them
READERS = {
    "functions": tables.read_functions,
    "statistics": tables.read_statistics,
    "persons": tables.read_persons,
    "relevance": tables.read_relevance,
    "pruned_functions": tables.read_functions,
    "gates": tables.read_gates,
    "segments": encoder_tables.read_heads,
    "chance": encoder_tables.read_chance,
    "correlations": encoder_tables.read_correlations,
    "words": encoder_tables.read_heads,
    "offsets": encoder_tables.read_offsets,
    "rules": encoder_tables.read_rules,
    "sensitivity": encoder_tables.read_heads,
    "probes": encoder_tables.read_probes,
    "plane": encoder_tables.read_plane,
    "trees": encoder_tables.read_heads,
    "branching": encoder_tables.read_branching,
    "tags": encoder_tables.read_tags,
    "scores": tables.read_scores,
    "alignments": encoder_tables.read_alignments,
    "tasks": encoder_tables.read_heads,
    "glue": task_tables.read_glue,
    "disabling": task_tables.read_disabling,
    "importance": attribution_tables.read_importance,
    "completeness": attribution_tables.read_completeness,
    "edges": attribution_tables.read_edges,
    "tree_answers": attribution_tables.read_tree_answers,
    "triggers": attribution_tables.read_triggers,
    "curves": attribution_tables.read_curves,
    "effect": attribution_tables.read_effect,
    "evolution": evolution_tables.read_evolution,
    "influence": evolution_tables.read_evolution,
    "distances": evolution_tables.read_distances,
    "attention_probe": geometry_tables.read_attention,
    "structural": geometry_tables.read_structural,
    "arcs": geometry_tables.read_edges,
    "embeddings": geometry_tables.read_embeddings,
    "senses": geometry_tables.read_senses,
    "semantic": geometry_tables.read_semantic,
    "concatenation": geometry_tables.read_concatenation,
    "structural_probes": probing_tables.read_structural_probes,
    "edge_probes": probing_tables.read_edge_probes,
    "edge_layers": probing_tables.read_edge_layers,
}


def read_evidence(
    files: Mapping[str, Sequence[str] | str], runs: Mapping[str, Sequence[dict[str, Any]]]
) -> dict[str, pd.DataFrame]:
    """Return the tables on which claims are judged: name -> rows over all of its runs.

    `runs` is what `study.claim_runs` returns; `files` has the files of each table, one a run in the same order. With
    sweeps, `files` also has `sweeps` and `kept`, one file each: results/pruning/<study>.runs.csv and .heads.csv.
    """
    found = {
        name: tables.gather(files[name], runs[name], read) for name, read in READERS.items() if name in runs
    }
    if "sweeps" in runs:
        found["sweeps"] = tables.read_sweeps(_only(files["sweeps"]), runs["sweeps"])
        found["kept"] = tables.read_kept(_only(files["kept"]))
    return found


def _only(files: Sequence[str] | str) -> str:
    return files if isinstance(files, str) else files[0]
