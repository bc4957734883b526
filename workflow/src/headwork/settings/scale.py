"""Scales, overlays and devices.

`config/config.yaml` defines the default scale, *miniature*. Every other scale is an *overlay*, a file merged into it:

```sh
snakemake --configfile config/workstation.yaml --config data=path/to/corpora
```

- Mappings are merged key by key; any other value, lists included, replaces the value below it. Keys that the overlay
  does not set keep their values of `config.yaml`.
- Several overlays apply in the order given: `--configfile config/paper.yaml config/paper-open.yaml`.
- Results, logs, benchmarks and checkpoints are in folders named after `scale`, so scales do not overwrite each other.
  `runs: {studies: ...}` names the scale whose runs are used; if an overlay leaves it out, they are those of the
  miniature scale.
- Before any job starts, the merged config is checked. A misspelt key, an unknown id or a value of the wrong type stops
  Snakemake with an error that names the place.

| file | scale |
|---|---|
| `config/config.yaml` | miniature: the generated corpus, no download of text, two CPU cores |
| `config/workstation.yaml` | workstation: real corpora on the local disk ([workstation.md](../workstation.md)) |
| `config/paper.yaml` | paper: corpora, models and recipes as published, on GPUs ([paper-scale.md](../paper-scale.md)) |
| `config/paper-open.yaml` | applied after `paper.yaml`: public corpora in place of the licensed ones |
"""

from typing import Annotated, Literal

from pydantic import Field

from headwork.settings.atlas import AtlasRequest, AtlasSettings
from headwork.settings.base import Id, Positive, Several
from headwork.settings.corpora import Corpus, Download, Text
from headwork.settings.heads import (
    AlignerSettings,
    AlignmentSettings,
    HeadSettings,
    PatternRunSettings,
    SegmentRunSettings,
    TaskRunSettings,
    WordRunSettings,
)
from headwork.settings.models import (
    AnyArchitecture,
    AnyRecipe,
    Distilled,
    Estimate,
    Task,
    Translation,
    Weights,
)
from headwork.settings.parses import Parser
from headwork.settings.pruning import DisablingSettings, PruningSettings
from headwork.settings.relevance import AttributionRun, RelevanceSettings, SensitivitySettings
from headwork.settings.representations import Representations
from headwork.settings.studies import StudyRuns
from headwork.settings.world import World


class Config(AtlasRequest):
    """What stands at the top of the config."""

    scale: Id
    """name of the scale, of its results folder, and in captions"""
    device: Literal["cpu", "cuda"]
    """where models are trained and measured"""
    devices: Positive
    """largest number of processes that train one model, each on a GPU or CPU core of its own. The number used is the
    greatest common divisor of `devices` and `recipes.<id>.accumulation`. Batches and loss are the same as with one
    process; each process draws its own dropout"""
    data: str | None = None
    """folder that the paths of `local` sources and treebanks are relative to; usually given on the command line"""
    runs: Annotated[dict[str, str | None], Field(min_length=1)]
    """[run sheets](run_sheets.md) by name. `studies` names the scale whose rows of all studies are read (`null`:
    none); an overlay adds rows by a sheet under a new name"""
    world: World
    downloads: dict[Id, Download] = {}
    corpora: dict[Id, Corpus]
    distilled: dict[Id, Distilled] = {}
    texts: dict[Id, Text]
    tasks: dict[Id, Task]
    parsers: dict[Id, Parser]
    architectures: dict[str, AnyArchitecture]
    recipes: dict[str, AnyRecipe]
    weights: Weights
    translation: Translation
    heads: HeadSettings
    segments: SegmentRunSettings
    words: WordRunSettings
    task_heads: TaskRunSettings
    patterns: PatternRunSettings
    alignments: AlignmentSettings
    aligners: Several[AlignerSettings]
    relevance: RelevanceSettings
    sensitivity: SensitivitySettings
    attribution: AttributionRun
    pruning: PruningSettings
    disabling: DisablingSettings
    representations: Representations
    estimate: Estimate = Estimate()
    studies: dict[str, StudyRuns]
    atlas: AtlasSettings = AtlasSettings()
