"""Attention of the best head of each of several dependency relations, and of the best head for coreference, each
on one sentence.

Words at the left attend to words at the right. A line is the darker, the larger its weight relative to the
largest weight of the word at the left; absolute weights are in the csv. Lines of the relation have another
colour. The sentences are chosen: the head is right about every word with the relation there. Table 1 gives
its accuracy over all sentences. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.maps import line_key, line_map, weights_table

# the paper's own relations first; others take the places of those that a text does not have
ORDER = (
    *("obj", "det", "nmod:poss", "aux:pass", "obl", "coreference"),
    *("amod", "nsubj", "advmod", "case", "aux"),
)
PANELS = 6


def draw(word_examples):
    """The figure and its weights: a panel a relation; the arcs of the relation are of another colour.

    Each word's weights are drawn relative to the largest of them, since a word may give most of its attention to tokens
    that are not shown.
    """
    first = {}
    for example in word_examples[0]:
        first.setdefault(example["relation"], example)
    chosen = [name for name in ORDER if name in first][:PANELS]
    if "coreference" in first and "coreference" not in chosen:
        chosen[-1] = "coreference"
    figure, shown = style.new(style.PAGE, 6.4 * -(-len(chosen) // 3)), []
    for axes, name in zip(style.panels(figure, len(chosen), 3), chosen, strict=True):
        example = first[name]
        reverse = example["direction"] == "head-to-dependent"
        marked = {(head, word) if reverse else (word, head) for word, head in example["arcs"]}
        relative = [[weight / (max(row) or 1) for weight in row] for row in example["weights"]]
        line_map(axes, example["words"], relative, style.SERIES[0], marked)
        axes.set_title(f"{name}, {example['direction'].replace('-', ' ')}\n{example['head']}", fontsize=7.5)
        table = weights_table(example["words"], example["weights"]).assign(
            relation=name, head=example["head"]
        )
        pairs = zip(table["query"], table["key"], strict=True)
        shown.append(table.assign(of_the_relation=[pair in marked for pair in pairs]))
    key = line_key("between the words of the relation")
    figure.legend(handles=key, loc="outside lower center", ncols=len(key))
    table = pd.concat(shown).rename(columns={"query_piece": "query_word", "key_piece": "key_word"})
    columns = ["relation", "head", "query", "query_word", "key", "key_word", "of_the_relation", "weight"]
    return figure, table[columns]
