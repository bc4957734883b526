"""Lexemes of the miniature world, their inflection and CCG categories.

lexemes     a word of the lexicon: a lexeme (one lemma in one sense) and its inflected English forms
inflection  inflection in a target language: gender and case of nominals, forms of verbs with their auxiliaries
categories  categories of Combinatory Categorial Grammar, read off a dependency tree of the miniature world
"""
