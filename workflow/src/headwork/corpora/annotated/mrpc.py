"""GLUE's train and dev split of MRPC, whose training pairs are one file with a list of the dev pairs."""

from pathlib import Path

from headwork.corpora.sources.readers import Segment, lines
from headwork.errors import InputError
from headwork.run.frame import Files


def split_mrpc(input: Files, output: Files) -> None:
    """Write the splits `train` and `dev`. `pairs` has the head Quality, #1 ID, #2 ID, #1 String, #2 String; `dev_ids`
    has two ids a line.

    Raises `InputError` if a line has too few cells, or if a pair of `dev_ids` is not among the pairs.
    """
    pairs, dev_ids = input.pairs, input.dev_ids
    wanted = {tuple(_cells(dev_ids, line, 2)[:2]) for line in lines(dev_ids)}
    found = set()
    with (
        open(output.train, "w", encoding="utf-8") as rest,
        open(output.dev, "w", encoding="utf-8") as held_out,
    ):
        for line in lines(pairs):
            ids = tuple(_cells(pairs, line, 5)[1:3])
            if line.line == 1:
                rest.write(line.text + "\n")
                held_out.write(line.text + "\n")
            elif ids in wanted:
                found.add(ids)
                held_out.write(line.text + "\n")
            else:
                rest.write(line.text + "\n")
    if found != wanted:
        missing = min(wanted - found)
        raise InputError.at(dev_ids, f"the pair {' '.join(missing)} is not in {pairs}; fetch both again")


def _cells(path: Path, line: Segment, number: int) -> list[str]:
    cells = line.text.split("\t")
    if len(cells) < number:
        raise InputError.at(
            path, f"{len(cells)} cells where there are {number}; fetch the file again", line.line
        )
    return cells
