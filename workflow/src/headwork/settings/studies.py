"""Studies: the runs of each at a scale, its items and its claims.

A study is a folder, `workflow/studies/<study>/`; its name is the study's key. [Adding a study](../adding-a-study.md)
shows how the files work together. Its rows of the [run sheet](run_sheets.md) are in `runs.tsv`.

Published numbers are in `published/<item>.csv`. The columns are those that identify a number, then `value`,
`uncertainty` and `source`. The uncertainty is half the width of the interval of possible values: 0.005 for a rounded
per cent, the reading error of a plot, 0 for an exact value. Sources:

| source | meaning |
|---|---|
| `P` | the text of the paper |
| `S` | a talk on the paper |
| `R` | the official code |
| `B`, `Bf` | the authors' article on the web, or read off a figure of it |
| `N` | reading notes of the paper |
| `RI` | a re-implementation by others |
| `F` | read off a figure of the paper |
| `M`, `MC` | from memory, unverified; from memory, checked by arithmetic |
| `D` | derived from the other numbers |
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from headwork.settings.base import Settings, Several

Role = tuple[str, str]
Runs = dict[str, dict[str, str | None]]
"""Domain -> pair -> run, in the paper's own terms."""


class Sweeps(Settings):
    """Initial runs of pruning sweeps, if they are not those of `runs`."""

    encoder: Runs = {}
    """of sweeps with gates in the encoder"""
    all: Runs = {}
    """of sweeps with gates in all attentions"""


class StudyRuns(Settings):
    """The runs of a study at a scale.

    An overlay may assign other runs to the parts of a study than its `study.yaml` does. Domains (`news`) and pairs
    (`EN-RU`) are the paper's own terms. What the overlay sets is laid over `scales` in the study file, key by key;
    `null` removes a run.
    """

    runs: Runs
    """`{domain: {pair: run}}`"""
    untrained: Runs = {}
    """untrained controls, in the same form"""
    sweeps: Sweeps = Sweeps()
    shown_as: dict[str, str] = {}
    """labels of the pairs in figures"""


def _pairs(domains: Any) -> Any:
    """``{domain: [pairs]}`` as (domain, pair)."""
    if not isinstance(domains, Mapping):
        return domains
    return [(domain, pair) for domain, pairs in domains.items() for pair in pairs]


Roles = Annotated[Several[Role], BeforeValidator(_pairs)]


class Item(Settings):
    """A table or figure; `study` is the key of its study, `key` its own."""

    study: str
    key: str
    title: str
    """its name in the paper"""
    section: Annotated[str, BeforeValidator(str)]
    """its section in the paper"""
    shows: str
    """its content in one line"""
    roles: Roles
    """`{domain: [pairs]}`: the runs that it shows. It is made if the scale has one of them"""
    tables: Several[str] = ()
    """tables that it reads of each run, by their names in the registry (`headwork.studies.tables`)"""
    published: Annotated[
        dict[str, str], BeforeValidator(lambda of: {"published": of} if isinstance(of, str) else of)
    ] = {}
    """file(s) of published numbers, without `.csv`; a mapping if there are several"""
    also: Several[Literal["seeds", "untrained", "pruned"]] = ()
    """further runs: other `seeds` of its own, the `untrained` ones of its roles, those `pruned` from baselines of its
    sweeps"""
    beside: Roles = ()
    """optional runs for comparison, in the form of `roles`"""
    sweeps: Several[Literal["encoder", "all"]] = ()
    """pruning sweeps that it shows, by their gates; its runs are their baselines"""
    settings: Several[str] = ()
    """sections of the config whose settings the caption lists: choices that the paper leaves open"""

    @property
    def rule(self) -> str:
        """The Snakemake target that makes it: ``voita2019_figure7``."""
        return f"{self.study}_{self.key}"


class OfDomains(Settings):
    """Runs of some domains that have a table."""

    domains: Several[str]
    """the domains"""
    untrained: bool = False
    """whether their untrained runs have it too"""
    seeds: bool = False
    """whether other seeds of these have it too"""


class Claim(Settings):
    """A claim of the paper, or a control of ours, with its test."""

    claim: str
    """one sentence"""
    published: float | None
    """the paper's number; `null` for none"""
    source: str
    """where that number is from"""
    test: str
    """a function of the study's `claims.py`"""
    select: dict[Literal["domain", "pair", "trained"], Any]
    """the runs that it is about: a value of a label, a list that must all exist, or `{any_of: list}`"""
    parameters: dict[str, Any]
    """arguments of the test"""
    control: bool = False
    """whether it is a control of ours, which is counted separately"""
    shown_in: Several[str] = ()
    """the items with which the gallery shows the verdict"""


Having = Literal["all", "trained", "seeds"] | Several[str] | OfDomains


class Study(Settings):
    """The study file.

    Each entry of `items` is a table or figure. It defines the rule `<study>_<item>`, which calls `draw` of the module
    `<item>.py` and writes `results/<scale>/studies/<study>/<item>.svg`, `.pdf` and `.csv`.

    Each entry of `claims` is one sentence (`claim`) with the paper's number (`published`, `source`), and a statistical
    test: a function of the study's `claims.py` (`test`), the runs that it is about (`select`) and its `parameters`.
    `control: true` marks our own controls, which are counted separately. `shown_in: [figure7]` names the items with
    which the gallery shows the verdict. Verdicts are in `results/<scale>/studies/claims.csv`.
    """

    key: str
    cited: str
    """the paper, as it is cited"""
    title: str
    """its title"""
    authors: str
    """its authors"""
    venue: str
    """where it was published"""
    items: Several[Item]
    """tables and figures, by key"""
    claims: Several[dict[str, Any]]
    """claims, a list"""
    tables: dict[str, Having] = {}
    """tables that claims need, mapped to their runs: `all`, `trained`, `seeds` (the trained ones and their other
    seeds), a list of domains, or `{domains, untrained, seeds}`"""
    scales: dict[str, dict[str, Any]] = {}
    """scale → `runs`, `untrained`, `sweeps`, `shown_as`, as above. The scale is the one that `runs: {studies: ...}` of
    the config names; each is laid over `miniature`"""

    def item(self, key: str) -> Item:
        """The item with that key."""
        return next(item for item in self.items if item.key == key)
