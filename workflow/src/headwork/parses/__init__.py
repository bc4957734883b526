"""Dependency trees of the source sentences, and the map between words and subword tokens.

tokens           tokenised text: one sentence a line, tokens with one space between them
conllu           sentences and their dependency trees in CoNLL-U, read and written as a stream
treebank         a treebank to train a parser on: CoNLL-U files gathered, thinned to a size, and split into train
                 and dev
gold             gold trees instead of parsed ones: each line of a corpus looked up in annotated CoNLL-U files by
                 its words
stanza_models    stanza's published models of a language: fetched by stanza, which checks their sums, into a folder
                 of our own
stanza_training  trains stanza's own tagger and dependency parser on a treebank
stanza_parsing   parses tokenised text with stanza: tags and dependency trees of exactly the tokens it is given
scores           how good parses are: UPOS, UAS and LAS against gold trees of the same sentences
relations        which relations stand in a tree, and where dependents stand from their heads
align            the map between words and the subword tokens a tokeniser makes of them, and attention between pieces as
                 between words
tagged           sentences with a tag for each word, from treebanks and from the column files of shared tasks
senses           text whose words' senses are known: CoNLL-U with ``Sense=`` in MISC, and SemCor in its four forms
semantic_tags    semantic tags of words, by rule from a Universal Dependencies tree and the names in it
ud_to_stanford   which label of Stanford Dependencies each label of Universal Dependencies stands for
"""
