"""What each head does: statistics in one pass over a text, and the functions they amount to.

streaming    one pass over a text for all statistics: batches in, sums by head, one tidy table out
statistics   what is measured of a head's attention maps
norms        norms of the vectors that attention mixes, beside its weights
syntax       heads and dependency relations
coreference  heads and coreference
patterns     the five patterns of attention maps
alignments   word alignments from attention
examples     attention maps of a few texts, for figures
jobs         what the rules of this phase call: one module a rule, from files to files
"""
