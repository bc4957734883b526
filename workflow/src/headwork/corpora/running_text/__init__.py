"""Paragraphs, and the segments that encoders read.

paragraphs  running text: paragraphs of sentences, from CoNLL-U or text, split so that none stands in two splits
segments    segments of two parts, A and B, that follow each other in running text: what BERT is pretrained on
"""
