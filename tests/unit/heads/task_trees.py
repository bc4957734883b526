"""A little task with trees, and a tokenizer that knows its words."""

from tiny_bert import word_tokenizer

from headwork.corpora.annotated.glue import Example
from headwork.parses.conllu import Sentence, Word

WORDS = ["the", "a", "cat", "cats", "owl", "owls", "dog", "sees", "see", "eat", "eats"]
WORDS += ["not", "never", "fast", "it", "they", ".", "quite"]

EXAMPLES = [
    Example(0, "the cat sees not the owl .", "it sees the dog .", "a"),
    Example(3, "owls eat .", "they never eat .", "b"),
]


def tokenizer():
    return word_tokenizer(WORDS)


def tree(*rows, name="news-0-1"):
    """Rows are form, tag, head, relation and, if there is one, role."""
    words = [
        Word(form, upos=tag, head=head, deprel=relation, misc={"Role": role[0]} if role else {})
        for form, tag, head, relation, *role in rows
    ]
    return Sentence(words, {"sent_id": name})


TREES = {
    0: [
        tree(
            ("the", "DET", 2, "det"),
            ("cat", "NOUN", 3, "nsubj", "A0:3"),
            ("sees", "VERB", 0, "root"),
            ("not", "PART", 3, "advmod", "AM-NEG:3"),
            ("the", "DET", 6, "det"),
            ("owl", "NOUN", 3, "obj", "A1:3"),
            (".", "PUNCT", 3, "punct"),
        ),
        tree(
            ("it", "PRON", 2, "nsubj", "A0:2"),
            ("sees", "VERB", 0, "root"),
            ("the", "DET", 4, "det"),
            ("dog", "NOUN", 2, "obj", "A1:2"),
            (".", "PUNCT", 2, "punct"),
        ),
    ],
    3: [
        tree(("owls", "NOUN", 2, "nsubj", "A0:2"), ("eat", "VERB", 0, "root"), (".", "PUNCT", 2, "punct")),
        tree(
            ("they", "PRON", 3, "nsubj", "A0:3"),
            ("never", "ADV", 3, "advmod"),
            ("eat", "VERB", 0, "root"),
            (".", "PUNCT", 3, "punct"),
        ),
    ],
}
