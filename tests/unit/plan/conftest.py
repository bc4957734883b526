"""A small scale: one real corpus, one of the miniature world, a BERT fine-tuned on a task, and a sweep of pruning."""

from pathlib import Path

import pandas as pd
import pytest

from headwork.plan.annotated import Annotated
from headwork.plan.scale import Scale
from headwork.plan.studied import Studied
from headwork.plan.texts import Texts
from headwork.plan.trained import Trained
from headwork.studies.study import read_study

SHEET = """
run    corpus  objective      architecture recipe  seed init_run gates     penalty target
base   world   translation    small        watched 1    -        none      0       -
e6     world   translation    small        gated   1    base     encoder   0       6
e4     world   translation    small        gated   1    e6       encoder   0       4
again  world   translation    small        base    1    -        mask:e4   0       -
real   real    translation    small        base    1    -        none      0       -
lm     world   lm             small        base    1    -        none      0       -
mlm    world   mlm            small        base    1    -        none      0       -
bert   pages   mlm            bert         base    1    -        none      0       -
named  pages   mlm            hub          as-is   1    -        none      0       -
tuned  rte     classification bert         tuning  1    bert     none      0       -
tuned2 rte     classification bert         tuning  2    bert     none      0       -
random rte     classification hub          tuning  1    named    none      0       -
"""
CONFIG = {
    "devices": 2,
    "runs": {"studies": "miniature"},
    "weights": {"stored_as": "float16", "published": ["base"]},
    "downloads": {
        "pairs": {"url": "https://example.org/mrpc.txt"},
        "ids": {"url": "https://example.org/dev_ids.tsv"},
        "archive": {"url": "https://example.org/news.tgz"},
        "other": {"url": "https://example.org/other.txt"},
    },
    "world": {"sentences": {"news": 10, "subtitles": 10}},
    "corpora": {
        "world": {
            "source": "en", "target": "karvan", "tokenisation": "none", "parser": "trained",
            "subwords": {"vocabulary": 99}, "sources": [{"type": "embedded", "domain": "news"}],
            "alignments": {"type": "embedded", "domain": "news"},
        },
        "real": {
            "source": "en", "target": "de", "tokenisation": "moses", "parser": "gold", "limit": 100,
            "subwords": {"sources_of": ["world"]},
            "sources": [
                {"type": "download", "download": "archive", "member": {"source": "a.en", "target": "a.de"}}
            ],
            "alignments": {"type": "local", "text": "gold.txt", "links": "gold.links"},
        },
        "unused": {"source": "en", "target": "de", "parser": "stanza", "sources": []},
    },
    "texts": {
        "pages": {
            "source": "en", "treebank": "trained", "subwords": {},
            "sources": [{"type": "embedded", "domain": "subtitles"}, {"type": "task", "task": "RTE"}],
            "mentions": [{"type": "local", "path": "mentions.conllu"}],
            "senses": [{"type": "embedded", "domain": "subtitles"}],
        }
    },
    "tasks": {
        "rte": {"task": "RTE"},
        "mrpc": {"task": "MRPC", "download": "pairs", "dev_ids": "ids", "metric": "f1"},
        "mine": {"task": "RTE", "path": "glue/RTE", "dev": ["dev"]},
    },
    "parsers": {
        "trained": {"treebank": {"type": "embedded"}},
        "stanza": {"published": {"language": "en"}},
        "local": {"folder": "models/parser", "treebank": {"type": "local", "train": "a.conllu", "dev": "b.conllu"}},
    },
    "architectures": {"small": {}, "bert": {"family": "bert"}, "hub": {"model": "someone/bert"}},
    "recipes": {
        "base": {"steps": 9, "accumulation": 2},
        "watched": {"steps": 9, "snapshots": [1]},
        "gated": {"steps": 9},
        "as-is": {"steps": 0},
        "tuning": {"epochs": 3},
    },
    "heads": {"split": "test"},
    "relevance": {"split": "dev", "prefix": "hypothesis"},
    "pruning": {"removed": {"gates": ["encoder"], "domains": ["news"]}},
    "representations": {
        "text": {"split": "test"},
        "tags": {
            "tasks": {"pos": {"tag": "upos"}, "chunks": {"train": "t.conll", "test": "u.conll"}, "semantic": None},
            "probes": 5,
            "untrained_probes": 2,
        },
        "edge_probes": {"tasks": {"roles": {}, "entities": None}},
    },
    "studies": {
        "voita2019": {"runs": {"news": {"EN-RU": "base", "EN-DE": "real"}}, "untrained": {"news": {"EN-FR": "lm"}}}
    },
}  # fmt: skip


@pytest.fixture
def config() -> dict:
    """The settings, which a test may change."""

    def copied(part):
        if isinstance(part, dict):
            return {key: copied(value) for key, value in part.items()}
        return [copied(value) for value in part] if isinstance(part, list) else part

    return copied(CONFIG)


@pytest.fixture
def scale(config: dict, root: Path) -> Scale:
    """The scale with one study."""
    columns, *lines = (line.split() for line in SHEET.strip().splitlines())
    numbers = {"seed": int, "penalty": float, "target": int}
    rows = [
        {
            name: None if cell == "-" else numbers.get(name, str)(cell)
            for name, cell in zip(columns, line, strict=True)
        }
        for line in lines
    ]
    runs = pd.DataFrame(rows, dtype=object).set_index("run", drop=False)
    return Scale(config, runs, {"voita2019": read_study(root / "workflow/studies/voita2019/study.yaml")})


@pytest.fixture
def texts(scale: Scale, tmp_path: Path) -> Texts:
    """Its texts, with a data folder that is empty."""
    return Texts(scale, str(tmp_path))


@pytest.fixture
def annotated(texts: Texts) -> Annotated:
    """Their annotation."""
    return Annotated(texts)


@pytest.fixture
def trained(annotated: Annotated) -> Trained:
    """The models."""
    return Trained(annotated)


@pytest.fixture
def studied(annotated: Annotated, root: Path) -> Studied:
    """The study."""
    return Studied(annotated, [str(root / "config/config.yaml")], root)
