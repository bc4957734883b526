"""The text of an atlas: lines, sentence pairs, parsed sentences or labelled examples, sampled from what the user gives.

Without a text, it is the English of the miniature world (a generated corpus), with its gold trees.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from headwork.corpora.annotated.glue import TASKS, Example, Task, read_task
from headwork.corpora.sources.readers import format_of, lines
from headwork.errors import InputError, extra
from headwork.heads.streaming.sample import Sample
from headwork.parses.conllu import Block, Sentence, parse_block, read_conllu, whole_trees
from headwork.parses.tokens import line_of
from headwork.settings.sentences import spelling
from miniature_world.generate import generate
from miniature_world.sentence import WorldSentence, to_conllu

STANZA = "stanza:"
WORLD = "synthetic English of the miniature world, with gold trees"


@dataclass(frozen=True)
class Material:
    """The sentences of an atlas, words between single spaces, and what goes with each of them.

    `targets` are translations, `trees` dependency trees, `examples` labelled examples of `task` (then `lines` are
    their sentences). `title` says what the text is, `notes` what was left out.
    """

    lines: Sequence[str]
    title: str
    targets: Sequence[str] | None = None
    trees: Sequence[Sentence] | None = None
    task: Task | None = None
    examples: Sequence[Example] | None = None
    notes: tuple[str, ...] = field(default=())

    def noting(self, note: str) -> "Material":
        """The same with one more note, if it says anything."""
        return replace(self, notes=(*self.notes, note)) if note else self

    def first(self, number: int) -> "Material":
        """The first sentences only."""
        names = ("lines", "targets", "trees", "examples")
        parts = {name: getattr(self, name) for name in names}
        return replace(self, **{name: part and part[:number] for name, part in parts.items()})


def world(sentences: int, seed: int) -> Material:
    """English of the miniature world with its gold trees."""
    trees = [_tree(sentence) for sentence in generate("news", sentences, seed)]
    return Material([" ".join(tree.forms) for tree in trees], WORLD, trees=trees)


def _tree(sentence: WorldSentence) -> Sentence:
    return parse_block(Block(1, to_conllu(sentence).splitlines()), "miniature world")


def of_lines(given: Iterable[str], title: str, most: int, seed: int) -> Material:
    """A sample of at most `most` of the lines that are not empty, in their order.

    Raises InputError for text without a sentence of two words.
    """
    kept, count = sample((" ".join(line.split()) for line in given), most, seed)
    return _sampled(_checked(Material(kept, title), title), count)


def of_text(path: str | Path, parser: str | None, most: int, seed: int) -> Material:
    """A sample of a text file's lines; of CoNLL-U, sentences with their trees.

    `parser` is a CoNLL-U file with a tree for each line, or ``stanza:FOLDER``: models that parse the sample. Raises
    InputError for a file that cannot be read, has no sentences, or whose trees are of other words.
    """
    path = Path(path)
    if format_of(path) == "conllu":
        return of_trees(path, most, seed)
    if parser is not None and not parser.startswith(STANZA):
        return of_trees(parser, most, seed, text=path)
    return _parsed(of_lines((segment.text for segment in lines(path)), path.name, most, seed), parser)


def _parsed(material: Material, parser: str | None) -> Material:
    """The material with trees by stanza's models, if `parser` names them."""
    if parser is None:
        return material
    with extra("parse"):
        from headwork.parses.stanza.parsing import parses, pipeline_from
    pipeline = pipeline_from(parser.removeprefix(STANZA))
    words = [line.split(" ") for line in material.lines]
    return replace(material, trees=list(parses(words, pipeline, len(words))))


def of_trees(path: str | Path, most: int, seed: int, text: Path | None = None) -> Material:
    """A sample of a treebank's sentences, which must be the lines of `text` if it is given."""
    trees, bad = read_conllu(path), []
    if text is not None:
        trees = _as_lines(trees, text, path)
    kept, count = sample(whole_trees(path, trees, bad), most, seed)
    forms = [" ".join(tree.forms) for tree in kept]
    material = _checked(Material(forms, Path(text or path).name, trees=kept), path)
    return _sampled(material.noting(left_out(len(bad), "sentence", bad)), count)


def of_pair(source: str | Path, target: str | Path, parser: str | None, most: int, seed: int) -> Material:
    """A sample of line-aligned sentence pairs, with trees of the source by a `parser` as in `of_text`.

    Raises InputError if there are not as many lines of each, and as `of_text` does.
    """
    sides = [[" ".join(each.text.split()) for each in lines(Path(path))] for path in (source, target)]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{source} has {len(sides[0])} lines and {target} has {len(sides[1])}; line-aligned text has as many"
        )
    in_file = parser is not None and not parser.startswith(STANZA)
    trees = _as_lines(read_conllu(parser), Path(source), parser) if in_file else None
    items = ((*pair, next(trees, None) if trees and pair[0] else None) for pair in zip(*sides, strict=True))
    whole = [item for item in items if item[0] and item[1]]
    empty, bad = len(sides[0]) - len(whole), []
    if in_file:
        if any(tree is None for *_, tree in whole):
            raise InputError.at(
                parser, f"there are fewer trees than lines of {source}; parse this text again"
            )
        good = set(map(id, whole_trees(parser, (tree for *_, tree in whole), bad)))
        whole = [(" ".join(tree.forms), said, tree) for _, said, tree in whole if id(tree) in good]
    kept, count = sample(whole, most, seed)
    sources, targets, found = ([item[part] for item in kept] for part in range(3))
    title = f"{Path(source).name} and {Path(target).name}"
    material = _checked(Material(sources, title, targets=targets, trees=found if in_file else None), source)
    material = material.noting(left_out(empty, "pair", ["a side is empty"]))
    material = material.noting(left_out(len(bad), "pair", bad))
    return _sampled(material if in_file else _parsed(material, parser), count)


def of_task(task: str, folder: str | Path, most: int, seed: int) -> Material:
    """A sample of a GLUE task's dev set. Raises InputError for an unknown task, a regression task, or no such file."""
    names = {name.lower(): name for name in TASKS}
    if task.lower() not in names:
        raise InputError(f"task: unknown task '{task}'; {spelling(task.lower(), list(names))}")
    described = TASKS[names[task.lower()]]
    if described.labels is None:
        raise InputError(f"task: {described.name} is a regression task; name a classification task")
    kept, count = sample(read_task(folder, described, described.dev[0]), most, seed)
    texts = [" ".join(filter(None, (each.first, each.second))) for each in kept]
    title = f"{described.name}, {described.dev[0]} set"
    return _sampled(Material(texts, title, task=described, examples=kept), count)


def sample(items: Iterable, most: int, seed: int) -> tuple[list, int]:
    """A uniform sample of at most `most` items (that are not empty) in their order, and how many there were."""
    chosen, kept, count = Sample(most, seed), {}, 0
    for item in items:
        if not item:
            continue
        slots, _ = chosen.offer(1)
        if len(slots):
            kept[int(slots[0])] = count, item
        count += 1
    return [item for _, item in sorted(kept.values(), key=lambda pair: pair[0])], count


def _as_lines(trees: Iterable[Sentence], text: Path, path: str | Path) -> Iterator[Sentence]:
    given = (segment for segment in lines(text) if segment.text.strip())
    for tree in trees:
        line = next(given, None)
        words = None if line is None else line.text.split()
        if words is None or words not in (" ".join(tree.forms).split(), line_of(tree.forms).split(" ")):
            has = "nothing more" if line is None else repr(line.text[:60])
            raise InputError.at(
                path,
                f"a tree is of {' '.join(tree.forms)[:60]!r} where {text} has {has}; parse this text again",
            )
        yield tree


# Thai, Lao, Myanmar, Khmer, kana and Han: scripts whose words have no space between them
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)


def _checked(material: Material, name: str | Path) -> Material:
    """The material, with a note if its script has no spaces; InputError if it has no sentence of two words."""
    if any(" " in line for line in material.lines):
        return material
    if any(len(line) > 1 and UNSPACED.search(line) for line in material.lines):
        return material.noting(
            "The text has no spaces between words: measured is what needs subword tokens alone. For dependency "
            "relations give CoNLL-U with the words of a segmenter."
        )
    raise InputError.at(
        name,
        "there is no sentence of two words or more in it; give a sentence a line, some hundred if you can",
    )


def counted(number: int, what: str) -> str:
    """``1 sentence``, ``1,200 sentences``."""
    return f"{number:,} {what}" + "s" * (number != 1)


def left_out(number: int, what: str, reasons: Sequence[str]) -> str:
    """A note of what was left out and why, by the first of the reasons; empty if it is nothing."""
    if not number:
        return ""
    first = reasons[0] if number == 1 or len(set(reasons)) == 1 else f"the first: {reasons[0]}"
    return f"{counted(number, what)} {'was' if number == 1 else 'were'} left out: {first}."


def _sampled(material: Material, count: int) -> Material:
    kept = len(material.lines)
    if count == kept:
        return material
    return material.noting(f"A random sample of {kept:,} of {counted(count, 'sentence')} was measured.")
