"""Sentences with trees, and folders of small models, for tests of representations."""

from tiny_bert import tiny_bert, tiny_marian, word_tokenizer

from headwork.models.loading.checkpoints import save
from headwork.parses.conllu import Sentence, Word

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "."]


def sentence(heads, forms=None, punctuation=(), relations=None):
    """`heads` count words from 1, 0 is the root; other words depend as `relations` say, or `dep`."""
    forms = forms or [f"w{place}" for place in range(len(heads))]
    relations = relations or ["dep"] * len(heads)
    words = [
        Word(form, head=head, deprel="root" if not head else "punct" if place in punctuation else relation)
        for place, (form, head, relation) in enumerate(zip(forms, heads, relations, strict=True))
    ]
    return Sentence(words)


def random_words(number, chance, shortest=4, longest=8):
    """Sentences of random words and a full stop."""
    return [[*chance.choice(WORDS[:-1], chance.integers(shortest, longest + 1)), "."] for _ in range(number)]


def save_models(folder, words=WORDS, **changes):
    """`bert` and `marian` in this folder, with a tokenizer that knows the words."""
    tokenizer = word_tokenizer(words)
    save(folder / "bert", tiny_bert(tokenizer, **changes), tokenizer)
    save(folder / "marian", tiny_marian(tokenizer), tokenizer)
