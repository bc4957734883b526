"""From sources to a parallel corpus.

prepare       from sources to a corpus: one streaming pass that tokenises, cleans and splits, then a sweep over its
              files
tokenisation  words of running text, and running text of words: Moses' rules (sacremoses) or none
cleaning      which pairs are fit to learn from, and a report of those that are not
splits        which split a sentence stands in: by a hash of the source sentence, or because its source says so
"""
