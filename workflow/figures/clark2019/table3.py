"""Clark et al. (2019), table 3: UAS of probes on attention, and of probes without it."""

from headwork.papers.compare import beside, shares
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_probes
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("probe",)
NAMES = {
    "right-branching": "right-branching",
    "distances-and-words": "distances and word vectors",
    "random-attention-and-words": "attention of random layers, and word vectors",
    "attention": "attention",
    "attention-and-words": "attention and word vectors",
}


def draw(probes, published):
    """The table drawn, and its numbers."""
    table = beside(shares(probes, "uas", "n"), published, KEYS)
    table = table[table["probe"].isin(NAMES)].sort_values("ours", kind="stable", ignore_index=True)
    rows = [["", "this run", "published"]]
    for _, row in table.iterrows():
        ours = f"{share(row['ours'])} [{share(row['low'])}, {share(row['high'])}]"
        rows.append([NAMES[row["probe"]], ours, share(row["published"], 2)])
    notes = [
        f"Unlabelled attachment score; {table['n'].max():.0f} words, without punctuation. The published probes are",
        "trained on the Penn Treebank, with GloVe vectors.",
    ]
    figure = draw_sheet(rows, [7.0, 3.4, 2.2], notes=notes)
    return figure, table[
        ["run", "label", "probe", "ours", "low", "high", "n", "published", "uncertainty", "source"]
    ]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        probes = gather(snakemake.input.probes, snakemake.params.runs, read_probes)
        save(*draw(probes, read_published(snakemake.input.published, KEYS)), snakemake.output)
