"""Jobs that learn the subwords of a corpus or a text, and count them."""

from headwork.corpora.subwords import frequencies, learning
from headwork.run.frame import Files
from headwork.settings.corpora import Subwords


def corpus_subwords(input: Files, output: Files, subwords: Subwords) -> None:
    """Learn the `tokenizer` (tokenizer.json) of `source`, `target` and the texts `others`, and count its pieces.

    `frequencies` (parquet, see `headwork.corpora.subwords.frequencies`) are those of source and target.
    """
    tokenizer = learning.learn([input.source, input.target, *input.others], subwords)
    learning.save(tokenizer, output.tokenizer)
    counts = frequencies.frequencies({"source": input.source, "target": input.target}, tokenizer)
    frequencies.save(counts, output.frequencies)


def text_subwords(input: Files, output: Files, subwords: Subwords) -> None:
    """Learn the `tokenizer` (tokenizer.json) of a `text`."""
    learning.save(learning.learn([input.text], subwords), output.tokenizer)


def piece_frequencies(input: Files, output: Files) -> None:
    """Count the pieces of `tokenizer` in `text` (of `input`), and write the table `frequencies` (of `output`)."""
    counts = frequencies.frequencies({"source": input.text}, learning.load(input.tokenizer))
    frequencies.save(counts, output.frequencies)
