"""Dependency trees of the source sentences, and the map between words and subword tokens.

tokens           tokenised text: one sentence a line, tokens with one space between them
conllu           sentences and their dependency trees in CoNLL-U, read and written as a stream
treebank         train and dev part of a treebank for parser training, from CoNLL-U files
gold             gold trees of a corpus, looked up in annotated CoNLL-U files
stanza           published parsers of stanza, its training on a treebank, and parsing with it
scores           UPOS accuracy, UAS and LAS of parses against gold trees
relations        dependency relations of trees, and offsets of dependents from their heads
align            alignment of words and subword tokens, and word-level attention
tagged           sentences with a tag for each word, from treebanks and column files
brackets         constituents of sentences in the bracketed format of the Penn Treebank
labelled_spans   labelled spans of sentences, the tasks of edge probing, from annotated text of several formats
senses           sense-annotated text: CoNLL-U with ``Sense=`` in MISC, and SemCor in four formats
semantic_tags    semantic tags of words, by rules from a Universal Dependencies tree and its entities
ud_to_stanford   Stanford Dependencies labels for those of Universal Dependencies
"""
