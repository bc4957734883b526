"""Subword vocabularies and token frequencies.

learning     subwords learned over all sides of a corpus, saved as tokenizer.json: byte-pair encoding, or BERT's
             WordPiece
frequencies  frequency of each subword token on each side of a corpus
jobs         the jobs of a corpus and of a text
"""
