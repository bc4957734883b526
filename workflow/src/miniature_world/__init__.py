"""The miniature world: generated, annotated English and its three translations.

world      writes the corpus: gold CoNLL-U of the English side, translations and alignments
generate   english sentences of the miniature world, in paragraphs with recurring entities
grammar    the English grammar: ``grammar.yaml``, checked and compiled for `generate`
fill       sampling of the head of a phrase: noun, verb, name, pronoun or determiner
slots      selectional restrictions: weighted choice of lexemes that fit a slot and disambiguate senses
sentence   sentences of the miniature world with their gold annotation, as CoNLL-U
discourse  entities of a paragraph, and antecedents of its pronouns
english    regular English inflection: from a lemma to its forms with Penn tags and Universal features
lexicon    the lexicon of the miniature world: words with their forms, senses, classes and translations, read from
           TSV files
words      lexemes of the miniature world, their inflection and CCG categories
language   a target language: its endings, orders and links between words, read from ``languages/<name>.yaml`` and
           checked
transfer   the transfer grammar: an English tree into one of the three invented languages, with gold word alignment
annotate   annotation that follows from a finished tree: base phrases, named entities and CCG categories
summary    statistics of the corpus: lengths, word frequencies, ambiguity, positional baselines
tasks      GLUE-like tasks of the miniature world in the official file formats, with known rules
"""
