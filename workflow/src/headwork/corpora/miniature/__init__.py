"""The embedded world: a small annotated language and its three translations, generated from data files.

world      the world written down: gold CoNLL-U of the English side, translations and alignments, line by line, in
           one pass
generate   english sentences of the miniature world, in paragraphs that go on speaking of the same things
grammar    the English grammar: ``grammar.yaml`` read, checked and compiled into what `generate` walks over
fill       drawing the head of a phrase: which noun, verb, name, pronoun or determiner stands there, if any can
slots      what may stand where: weighted choice of lexemes that fit a slot, so that every ambiguous word is decided
sentence   sentences of the miniature world with all their gold annotation, and their CoNLL-U text
discourse  what a paragraph speaks of, and what its pronouns stand for
english    regular English inflection: from a lemma to its forms with Penn tags and Universal features
lexicon    the lexicon of the miniature world: words with their forms, senses, classes and translations, read from
           TSV files
words      words of the miniature world's English: what they are, their forms, their CCG categories
language   a target language: its endings, orders and links between words, read from ``languages/<name>.yaml`` and
           checked
transfer   the transfer grammar: an English tree into one of the three invented languages, with gold word alignment
annotate   annotation that follows from a finished tree: base phrases, named entities and CCG categories
summary    figures of a world: is it as long, as varied, as ambiguous and as hard to guess by position as it means
           to be?
tasks      GLUE-like tasks of the miniature world, written in the official file formats, each with a rule that is
           known
"""
