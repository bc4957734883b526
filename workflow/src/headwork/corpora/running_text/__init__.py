"""Paragraphs, their sentences, and segments for encoders.

sentences   sentences of an English paragraph
paragraphs  paragraphs of sentences, from CoNLL-U or text, with disjoint splits
segments    segments of two consecutive parts A and B of running text, as in BERT's pretraining
"""
