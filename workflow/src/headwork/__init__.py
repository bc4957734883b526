"""headwork: what the attention heads of a Transformer do, measured the way eight studies measured it.

The packages are the phases of the workflow, and a package imports only what stands above it:
lens, corpora, parses, models, heads, relevance, pruning, representations, papers.
"""
