"""Analysis of single heads: statistics in one pass over a text, and the functions derived from them.

streaming    one pass over a text for all statistics
statistics   statistics of a head's attention maps
norms        norms of the transformed vectors, beside attention weights
syntax       heads and dependency relations
coreference  heads and coreference
patterns     the five patterns of attention maps
alignments   word alignments from attention
examples     attention maps of a few texts, for figures
jobs         the jobs that the rules of this phase call: one module a rule, from files to files
"""
