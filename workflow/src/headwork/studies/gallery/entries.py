"""Studies, items and claims as the pages show them, gathered from the results of all scales.

Paths of results are relative to the folder results/; pages put ``../`` in front where they lie deeper.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.settings.studies import Item, Study
from headwork.studies.gallery.captions import caption, render_caption
from headwork.studies.gallery.provenance import Provenance, of_item
from headwork.studies.gallery.scales import Scale
from headwork.studies.judging import CONTROL, FAILS, HOLDS, PAPER, SHOWN_IN, UNTESTABLE
from headwork.studies.published import SOURCES
from headwork.studies.runs import can_be_made, claim_runs, item_runs, sweep_runs
from headwork.studies.verdicts import written

ROWS = 12  # of a table of numbers that a page shows; the CSV has all
# The verdicts in the order in which they are counted; others follow.
VERDICTS = (HOLDS, FAILS, UNTESTABLE)
UNJUDGED = "not judged"


@dataclass(frozen=True)
class Verdict:
    """What a claim came to at one scale; numbers as people read them."""

    scale: str
    verdict: str
    published: str
    ours: str
    n: str
    source: str
    note: str


@dataclass(frozen=True)
class Claim:
    """A claim with its verdicts, at most one per scale.

    control   a control of this project, not the paper's claim
    shown_in  keys of the items that show what it says
    current   False if the study's config has no such claim: the results are older than its wording
    """

    sentence: str
    control: bool
    shown_in: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    current: bool = True


@dataclass(frozen=True)
class Numbers:
    """The first rows of a table; `total` counts all."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    path: str


@dataclass(frozen=True)
class View:
    """An item at one scale.

    command  makes it; "" if the scale has no model for it
    trains   the models that are trained before it
    files    svg, pdf, csv -> path; empty if it was not made
    """

    scale: str
    command: str
    trains: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""
    numbers: Numbers | None = None
    provenance: Provenance | None = None


@dataclass(frozen=True)
class Entry:
    """An item of a study: its views, one a scale, the claims that it shows, and its published numbers."""

    item: Item
    views: tuple[View, ...]
    claims: tuple[Claim, ...]
    published: tuple[Numbers, ...]

    @property
    def made(self) -> tuple[View, ...]:
        """The views that have files."""
        return tuple(view for view in self.views if view.files)


@dataclass(frozen=True)
class StudyPage:
    """One study: its items in the paper's order, all its claims, and the scales at which these need no training."""

    study: Study
    entries: tuple[Entry, ...]
    claims: tuple[Claim, ...]
    judged_at_once: frozenset[str] = frozenset()

    @property
    def others(self) -> tuple[Claim, ...]:
        """The claims that no item shows."""
        keys = {entry.item.key for entry in self.entries}
        return tuple(claim for claim in self.claims if not keys & set(claim.shown_in))


@dataclass(frozen=True)
class Places:
    """Where things lie: the repository, the results, and Snakemake's records if there are any."""

    root: Path
    results: Path
    metadata: Path | None = None


def gather(studies: Sequence[Study], scales: Sequence[Scale], places: Places) -> list[StudyPage]:
    """Everything that the pages show, study by study.

    Raises jinja2.UndefinedError for a caption that names a setting which a scale does not have.
    """
    return [_study(study, scales, places) for study in studies]


def tally(claims: Sequence[Claim], scale: str, control: bool = False) -> dict[str, int]:
    """Verdict -> number of claims (or of controls) that have it at that scale, in the order of `VERDICTS`."""
    counts = Counter(
        found.verdict
        for claim in claims
        if claim.control == control
        for found in claim.verdicts
        if found.scale == scale
    )
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def to_make(pages: Sequence[StudyPage], scale: Scale) -> tuple[list[str], int]:
    """The targets that a scale can make without training a model, and the number of items that it cannot.

    Of the studies of which the scale has something; claims that no one has judged come after their study's items.
    """
    targets, further = [], 0
    for page in pages:
        views = [(entry.item.rule, view) for entry in page.entries for view in entry.views]
        own = [(rule, view) for rule, view in views if view.scale == scale.name and not view.files]
        targets += [rule for rule, view in own if view.command and not view.trains]
        further += sum(bool(view.trains) for _, view in own)
        if scale.name in page.judged_at_once and not any(tally(page.claims, scale.name).values()):
            targets.append(f"{page.study.key}_claims")
    return targets, further


def read_numbers(path: Path, shown: str, rows: int | None = ROWS) -> Numbers:
    """The first rows of a CSV file, as they are written there; `shown` is its path on the pages."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    first = tuple(table.head(len(table) if rows is None else rows).itertuples(index=False, name=None))
    return Numbers(tuple(table.columns), first, len(table), shown)


def _study(study: Study, scales: Sequence[Scale], places: Places) -> StudyPage:
    claims = _claims(study, scales, places)
    entries = []
    for item in study.items:
        views = [view for scale in scales if (view := _view(study, item, scale, places))]
        own = tuple(claim for claim in claims if item.key in claim.shown_in)
        entries.append(Entry(item, tuple(views), own, _published(item, places.root)))
    concerned = [scale for scale in scales if scale.settings and study.claims and _has(study, scale, places)]
    at_once = frozenset(scale.name for scale in concerned if not _trained_for_claims(study, scale))
    return StudyPage(study, tuple(entries), claims, at_once)


def _has(study: Study, scale: Scale, places: Places) -> bool:
    """Whether a scale has something of a study; the default scale, which needs no overlay, is for all of them."""
    folder = places.results / scale.name / "studies" / study.key
    return not scale.overlay or any(folder.glob("*.svg"))


def _trained_for_claims(study: Study, scale: Scale) -> list[str]:
    runs = claim_runs(study, scale.settings["studies"][study.key], scale.sheet)
    swept = sweep_runs(scale.settings["studies"][study.key], scale.sheet) if "sweeps" in runs else []
    return scale.trained_first(
        run["run"] for run in (*swept, *(run for found in runs.values() for run in found))
    )


def _trained_for(item: Item, settings: Mapping[str, Any], scale: Scale) -> tuple[str, ...]:
    """The models that are trained before an item: of its runs, and of its sweeps."""
    runs = item_runs(item, settings, scale.sheet)
    swept = [
        run
        for run in (sweep_runs(settings, scale.sheet) if item.sweeps else ())
        if run["gates"] in item.sweeps and (run["domain"], run["pair"]) in (*item.beside, *item.roles)
    ]
    return tuple(scale.trained_first(run["run"] for run in (*runs, *swept)))


def _claims(study: Study, scales: Sequence[Scale], places: Places) -> tuple[Claim, ...]:
    """The claims of the config in their order, then those that only results know."""
    found: dict[str, list[Verdict]] = {claim["claim"]: [] for claim in study.claims}
    controls = {claim["claim"]: bool(claim.get(CONTROL)) for claim in study.claims}
    shown = {claim["claim"]: tuple(claim.get(SHOWN_IN, ())) for claim in study.claims}
    for scale in scales:
        path = places.results / scale.name / "studies" / study.key / "claims.csv"
        if not path.is_file():
            continue
        rows = pd.read_csv(path)
        for _, row in rows.fillna({"source": "", "note": ""}).iterrows():
            published, ours = written(row)
            source = SOURCES.get(row["source"], row["source"])
            n = f"{row['n']:,.0f}" if row["n"] else ""
            verdict = Verdict(scale.name, row["verdict"], published, ours, n, source, row["note"])
            found.setdefault(row["claim"], []).append(verdict)
            controls.setdefault(row["claim"], row.get("origin", PAPER) == CONTROL)
    return tuple(
        Claim(sentence, controls[sentence], shown.get(sentence, ()), tuple(verdicts), sentence in shown)
        for sentence, verdicts in found.items()
    )


def _view(study: Study, item: Item, scale: Scale, places: Places) -> View | None:
    """The item at that scale; None if it was not made by a scale without config, or with nothing of the study."""
    command = scale.command(item.rule)
    folder = f"{scale.name}/studies/{item.study}"
    files = {
        kind: f"{folder}/{item.key}.{kind}"
        for kind in ("svg", "pdf", "csv")
        if (places.results / folder / f"{item.key}.{kind}").is_file()
    }
    settings = scale.settings and scale.settings["studies"].get(item.study)
    if settings is None:
        return View(scale.name, command, files=files, numbers=_csv(files, places)) if "svg" in files else None
    if "svg" not in files:
        if not _has(study, scale, places):
            return None
        made = can_be_made(item, settings, scale.sheet)
        return (
            View(scale.name, command, _trained_for(item, settings, scale)) if made else View(scale.name, "")
        )
    runs = item_runs(item, settings, scale.sheet)
    text = caption(study, item, scale.settings, runs, places.root / "workflow/studies")
    svg = Path(places.results.name) / files["svg"]
    return View(
        scale.name,
        command,
        (),
        files,
        render_caption(text),
        _csv(files, places),
        of_item(item, svg, scale.settings, _rows(runs, scale.sheet), places.metadata),
    )


def _csv(files: Mapping[str, str], places: Places) -> Numbers | None:
    return read_numbers(places.results / files["csv"], files["csv"]) if "csv" in files else None


def _rows(runs: Sequence[Mapping[str, Any]], sheet: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    rows = {row["run"]: row for row in sheet}
    return [rows[run] for run in dict.fromkeys(run["run"] for run in runs)]


def _published(item: Item, root: Path) -> tuple[Numbers, ...]:
    """All published numbers of an item, with the sources written out."""
    tables = []
    for file in dict.fromkeys(item.published.values()):
        name = f"{item.study}/published/{file}"
        numbers = read_numbers(root / f"workflow/studies/{name}.csv", f"gallery/{name}.csv", None)
        source = numbers.header.index("source")
        told = [
            (*row[:source], SOURCES.get(row[source], row[source]), *row[source + 1 :]) for row in numbers.rows
        ]
        tables.append(replace(numbers, rows=tuple(told)))
    return tuple(tables)
