"""Gold trees of a corpus, looked up in annotated CoNLL-U files by the words of each line.

The words of the trees are replaced by those of the line. Without an exact match, a tree that differs only in case is
used: corpora are true-cased, their annotation is not.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from headwork.errors import InputError
from headwork.parses.conllu import Block, Sentence, blocks, parse_block, write_conllu
from headwork.parses.tokens import line_of, read_tokens
from headwork.run.frame import Files

Found = dict[str, tuple[Block, str | Path]]


def gold_trees(text: str | Path, annotated: Sequence[str | Path]) -> Iterator[Sentence]:
    """The gold tree of each line of a tokenised text, in order.

    Of several sentences with the same words the first counts, as in a corpus without its duplicates. Memory holds the
    text and its trees' rows, for annotated files of any size. Raises InputError for a line that no file annotates, and
    as `read_tokens` and `parse_block` do.
    """
    wanted = {line_of(tokens).casefold() for tokens in read_tokens(text)}
    exact: Found = {}
    nearly: Found = {}
    for path in annotated:
        for block in blocks(path):
            line = line_of(block.forms)
            if line.casefold() in wanted:
                exact.setdefault(line, (block, path))
                nearly.setdefault(line.casefold(), (block, path))
    for number, tokens in enumerate(read_tokens(text), start=1):
        line = line_of(tokens)
        found = exact.get(line) or nearly.get(line.casefold())
        if found is None:
            files = ", ".join(map(str, annotated)) or "no file"
            raise InputError.at(
                text,
                f"no gold tree has the words of this line ({' '.join(tokens[:8])} ...); "
                f"looked in {files}: add the file it comes from, or parse the corpus",
                number,
            )
        sentence = parse_block(*found)
        for word, token in zip(sentence.words, tokens, strict=True):
            word.form = token
        yield sentence


def write_gold(input: Files, output: Files) -> None:
    """Write the gold tree of each line of `text`, looked up in the CoNLL-U files `annotated`, to `trees` (CoNLL-U)."""
    write_conllu(output.trees, gold_trees(input.text, input.annotated))
