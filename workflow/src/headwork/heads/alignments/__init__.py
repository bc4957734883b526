"""Word alignments from attention (Kobayashi et al. 2020).

word_alignments  word alignments from the attention of a translation model
"""
