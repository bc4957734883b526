"""headwork: analyses of Transformer attention heads, after published studies of them.

A package imports only from what is listed before it: errors, settings, run, sites, intervals, lens, miniature_world
(beside this package), corpora, parses, models, heads, relevance, pruning, representations, measures, head_atlas,
studies, plan, cli.

`headwork.atlas` makes the atlas of a model's heads: see `headwork.head_atlas.atlas`.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """`atlas`, imported when it is asked for: torch takes seconds."""
    if name == "atlas":
        from headwork.head_atlas.atlas import atlas

        return atlas
    raise AttributeError(f"module 'headwork' has no attribute {name!r}")
