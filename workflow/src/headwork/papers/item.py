"""The three files of an item: the figure as svg and pdf, and its numbers as csv."""

from typing import Protocol, runtime_checkable

import pandas as pd
from matplotlib.figure import Figure

from headwork.papers.drawing import style
from headwork.run.outputs import write_table


@runtime_checkable
class Output(Protocol):
    """The paths of an item's files: Snakemake's `output`, or any object with these attributes."""

    svg: str
    pdf: str
    csv: str


def save(figure: Figure, table: pd.DataFrame, output: Output) -> None:
    """Write figure and table; equal figures and tables give equal bytes."""
    style.save(figure, output.svg, output.pdf)
    write_table(output.csv, table)
