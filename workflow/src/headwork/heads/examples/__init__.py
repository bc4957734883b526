"""Attention maps of a few texts, for figures.

sentences  a few sentences with the maps of every encoder head, for figures that show one map
segments   the last pieces of a few segments with the maps of every head
words      sentences in which a relation's best head is right, with its map between words
"""
