"""Parsing with stanza.

published_models  stanza's published models of a language, downloaded by stanza into a given folder
training          training of stanza's tagger and dependency parser on a treebank
parsing           parsing of tokenised text, without changing the tokens
"""
