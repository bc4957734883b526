"""An item's three files: the figure as svg and pdf, and the numbers in it as csv."""

from typing import Protocol, runtime_checkable

import pandas as pd
from matplotlib.figure import Figure

from headwork.outputs import write_table
from headwork.papers.drawing import style


@runtime_checkable
class Output(Protocol):
    """Where an item goes: what Snakemake calls `output`, or anything with these three paths."""

    svg: str
    pdf: str
    csv: str


def save(figure: Figure, table: pd.DataFrame, output: Output) -> None:
    """Writes figure and table; the same figure and table give the same bytes."""
    style.save(figure, output.svg, output.pdf)
    write_table(output.csv, table)
