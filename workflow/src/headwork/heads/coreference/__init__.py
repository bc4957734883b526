"""Heads and coreference (Clark et al. 2019).

antecedents       mentions of entities in a text, what each could refer back to, and rules that choose
antecedent_heads  heads that look from a mention to its antecedent
"""
