"""Norms of the transformed vectors, beside attention weights (Kobayashi et al. 2020).

vector_norms       norms of the transformed vectors f(x) and of their weighted sums
weights_and_norms  attention weights and norms of weighted vectors, by class of token
cancelling         correlation of attention weights with vector norms
frequency_ranks    correlation of frequency ranks with vector norms and weights
"""
