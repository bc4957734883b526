"""Subword vocabularies, and how often their tokens occur.

learning     subwords learned over all sides of a corpus, saved as tokenizer.json: byte-pair encoding, or BERT's
             WordPiece
frequencies  how often each subword piece occurs on each side of a corpus
"""
