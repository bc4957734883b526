"""Heads and dependency relations.

syntactic   heads that follow a syntactic relation
dependency  heads that find the syntactic head of a word
best_heads  the best head of each dependency relation, from the table of all
roles       heads that attend along predicate-argument links
"""
