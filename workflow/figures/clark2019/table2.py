"""Clark et al. (2019), table 2: accuracy of antecedents by the best head, and by rules without a model.

The paper does not say among which words a head chooses; all three readings are shown.
"""

import math

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads, read_rules
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import CANDIDATES, RULES, antecedents_found
from headwork.run.frame import job

KEYS = ("system", "kind")
PUBLISHED_HEAD = "head 5-4, candidates not specified"
KINDS = ["all", "pronoun", "proper", "nominal"]


def draw(words, rules, published):
    """The table drawn, and its numbers; below the heads what was published only."""
    table = antecedents_found(words, rules, published)
    rows = [[""] * 9, ["", *KINDS, *KINDS]]
    known = published.pivot(index="system", columns="kind", values="value").reindex(columns=KINDS)
    for (system, name, candidates), own in table.groupby(["system", "name", "candidates"], sort=False):
        told = f"{name}, among {CANDIDATES[candidates]}" if system == "head" else name
        ours = own.set_index("kind").reindex(KINDS)["ours"]
        # one head was published, whose candidates are not known: it has a row of its own
        theirs = known.loc[system] if system in known.index and system != "head" else [math.nan] * len(KINDS)
        rows.append([told, *(share(value, 2) for value in (*ours, *theirs))])
    rows.insert(-1, [PUBLISHED_HEAD, *["–"] * len(KINDS), *(share(value, 2) for value in known.loc["head"])])
    counts = table.drop_duplicates("kind").set_index("kind")["n"].reindex(KINDS)
    rows.append(["mentions", *("–" if count != count else f"{count:.0f}" for count in counts), *[""] * 4])
    notes = [
        "Accuracy over mentions with an earlier mention of their entity. Rules choose among the preceding mentions.",
        "The paper does not define the candidates of its head; head and rules see 128 tokens there. The neural system",
        "(Wiseman et al. 2015) reads whole documents and detects mentions itself, and is not comparable.",
    ]
    spans, widths = [(0, 1, 4, "this run"), (0, 5, 8, "published")], [7.4, *[1.1] * 8]
    between = (2 + len(RULES), 3 + len(RULES) + len(CANDIDATES), len(rows) - 1)
    return draw_sheet(rows, widths, headings=2, spans=spans, rules=between, notes=notes), table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.words, runs, read_heads), gather(given.rules, runs, read_rules)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
