"""Writes the pages of the gallery from the templates.

The pages are results/index.html and, in results/gallery/, one per study, one of all items and claims with search and
filters, and one that compares measures of head importance. Figures are referenced where they are, in
results/<scale>/studies/<study>/. The first page also links the head atlases that lie in results/atlas/.

`static/minisearch.min.js` is MiniSearch (MIT), the search engine of the search page; its first lines have its version,
source and licence.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from headwork.run.directional import shown
from headwork.run.frame import Files
from headwork.run.metadata import METADATA
from headwork.settings.studies import Study
from headwork.studies.gallery.entries import UNJUDGED, Entry, Places, StudyPage, gather, tally, to_make
from headwork.studies.gallery.importance import compare
from headwork.studies.gallery.provenance import duration
from headwork.studies.gallery.scales import Scale, read_scales
from headwork.studies.study import read_study

HERE = Path(__file__).parent

# Items whose figures stand on the first page, of different studies; others take the place of those not made.
SHOWCASE = (
    "voita2019_figure7",
    "kovaleva2019_figure10",
    "coenen2019_figure2",
    "raganato2018_figure1",
    "voita2019b_figure8",
    "synthesis_figure2",
)


def write_gallery(studies: Sequence[Study], root: Path, results: Path, metadata: Path | None = None) -> Path:
    """Write results/index.html and results/gallery/ for everything that is in `results`; gives the first page's path.

    `root` is the repository, `metadata` the folder of Snakemake's records. Figures and tables are not copied; published
    numbers are. The same results give the same bytes.
    """
    scales = read_scales(results, root, {study.key: study for study in studies})
    pages = gather(studies, scales, Places(root, results, metadata))
    folder = results / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "static", folder)
    for study in studies:
        for file in {file for item in study.items for file in item.published.values()}:
            copy = folder / f"{study.key}/published/{file}.csv"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / f"workflow/studies/{study.key}/published/{file}.csv", copy)
    templates = _templates(pages, scales)

    def write(path: Path, template: str, **shown: object) -> None:
        # `up` leads from the page to results/
        up = "../" * (len(path.relative_to(results).parts) - 1)
        path.write_text(templates.get_template(template).render(up=up, **shown) + "\n", encoding="utf-8")

    for page in pages:
        write(folder / f"{page.study.key}.html", "study.html", page=page, here=page.study.key)
    write(folder / "search.html", "search.html", here="search")
    write(
        folder / "importance.html", "importance.html", comparisons=compare(results, scales), here="importance"
    )
    atlases = sorted(path.relative_to(results) for path in results.glob("atlas/*/atlas.html"))
    write(results / "index.html", "index.html", showcase=showcase(pages), atlases=atlases, here="index")
    return results / "index.html"


def showcase(pages: Sequence[StudyPage]) -> list[Entry]:
    """Six made items: those of `SHOWCASE`, then the first of each study, then any."""
    made = {entry.item.rule: entry for page in pages for entry in page.entries if entry.made}
    first = [next((entry.item.rule for entry in page.entries if entry.made), "") for page in pages]
    order = dict.fromkeys([*SHOWCASE, *first, *made])
    return [made[rule] for rule in order if rule in made][: len(SHOWCASE)]


def _templates(pages: Sequence[StudyPage], scales: Sequence[Scale]) -> Environment:
    """The templates, with what all pages show; every text is escaped but captions, which are HTML already.

    No text can reverse the order of what stands beside it.
    """
    environment = Environment(
        loader=PackageLoader("headwork.studies.gallery"),
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["duration"] = duration
    environment.globals.update(
        pages=pages,
        scales=scales,
        tally=tally,
        to_make=to_make,
        unjudged=UNJUDGED,
        claims=[claim for page in pages for claim in page.claims],
    )
    return environment


def write_pages(input: Files, output: Files, root: str) -> None:
    """Write the gallery of results of all scales: `index` and the folder `pages`. `root` is the repository."""
    studies = [read_study(path) for path in input.studies]
    write_gallery(studies, Path(root), output.index.parent, METADATA)
