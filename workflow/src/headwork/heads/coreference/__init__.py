"""Heads and coreference (Clark et al. 2019).

antecedents       mentions of entities, candidate antecedents, and baseline rules
antecedent_heads  heads that attend from a mention to its antecedent
"""
