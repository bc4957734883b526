"""The analysed text, with part of speech and supertag of its words.

Parts of speech are the XPOS of trees, gold in the miniature world or from a parser. Supertags (CCG) are gold annotation
of the miniature world, or are read from a file with a line ``token<TAB>tag`` for each word and an empty line after each
sentence, as supertaggers write.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import pandas as pd

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.parses.conllu import Sentence, read_conllu
from headwork.parses.gold import gold_trees
from headwork.parses.tokens import read_tokens
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.representations import AnalysedText

NO_TAG = ""


def text_run(input: Files, output: Files, settings: AnalysedText, annotated: bool) -> None:
    """Choose the first sentences of a text, and gather what is known of their words.

    `input`: source (tokenised, a sentence a line), trees (CoNLL-U: gold annotation if `annotated`, in which sentences
    are looked up, or the trees of the source, line by line) and perhaps tags (see `read_tags`). `output`: text (the
    sentences), words (parquet: sentence and word, from 0, form, pos, tag; "" for no tag). Raises InputError for trees
    or tags that are not of the text.
    """
    trees = [input.trees] if isinstance(input.trees, Path) else input.trees
    sentences = list(islice(read_tokens(input.source), settings.sentences))
    output.text.parent.mkdir(parents=True, exist_ok=True)
    output.text.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
    if annotated:
        found: Iterator[Sentence] = gold_trees(output.text, trees)
    else:
        found = islice(chain.from_iterable(map(read_conllu, trees)), len(sentences))
    table = words_table(sentences, found, trees[0])
    if "tags" in input:
        table["tag"] = read_tags(input.tags, sentences)
    write_table(output.words, table)


def words_table(
    sentences: Sequence[Sequence[str]], trees: Iterable[Sentence], name: str | Path
) -> pd.DataFrame:
    """sentence, word, form, pos, tag of every word. Raises InputError, with `name`, for trees of other words."""
    rows = []
    trees = iter(trees)
    for number, words in enumerate(sentences):
        tree = next(trees, None)
        if tree is None or tree.forms != list(words):
            absent = f"the file has no tree of sentence {number + 1}, {' '.join(words[:8])!r}; parse this text again"
            raise InputError.at(name, absent)
        rows += [
            (number, place, word.form, word.xpos or word.upos or NO_TAG, word.misc.get("CCG", NO_TAG))
            for place, word in enumerate(tree.words)
        ]
    return pd.DataFrame(rows, columns=["sentence", "word", "form", "pos", "tag"])


def read_tags(path: str | Path, sentences: Sequence[Sequence[str]]) -> list[str]:
    """The tag of every word of the sentences, from a file with ``token<TAB>tag`` in each line.

    Raises InputError, with file and line, for a line without a tag, a token that is not the text's at this place, a
    sentence that ends too early or too late, and a file that ends before the text. Lines after the text are ignored.
    """
    rows = lines(Path(path))
    found = []
    for number, words in enumerate(sentences, start=1):
        for word in words:
            line, row = next(rows, (None, None))
            problem = None
            token, _, tag = (row or "").partition("\t")
            if row is None:
                problem = f"the file ends before sentence {number} of the text; tag the whole text"
            elif not row.strip():
                problem = f"sentence {number} ends here, but in the text the word {word!r} follows"
            elif not tag.strip():
                problem = f"{row!r} has no tag; a line is a token, a tab and its tag"
            elif token != word:
                problem = f"the token is {token!r}, but in the text sentence {number} has {word!r} here; tag this text"
            if problem is not None:
                raise InputError.at(path, problem, line)
            found.append(tag.strip())
        line, row = next(rows, (None, ""))
        if row.strip():
            problem = (
                f"{row!r} follows, but in the text sentence {number} is over; an empty line ends a sentence"
            )
            raise InputError.at(path, problem, line)
    return found
