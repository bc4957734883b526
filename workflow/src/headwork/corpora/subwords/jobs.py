"""Jobs that learn the subwords of a corpus or a text."""

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
