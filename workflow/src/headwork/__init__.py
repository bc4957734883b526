"""headwork: analyses of Transformer attention heads, after eight published studies.

The packages are the phases of the workflow. A package imports only from packages listed before it: lens, corpora,
parses, models, heads, relevance, pruning, representations, papers.
"""
