"""How often each piece of one vocabulary stands in a text."""

from headwork.corpora.subwords import frequencies
from headwork.corpora.subwords import learning as subwords
from headwork.run.frame import Files


def piece_frequencies(input: Files, output: Files) -> None:
    """Count the pieces of `tokenizer` in `text` (of `input`), and write the table `frequencies` (of `output`)."""
    counts = frequencies.frequencies({"source": input.text}, subwords.load(input.tokenizer))
    frequencies.save(counts, output.frequencies)
