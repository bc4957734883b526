"""Norms of the transformed vectors, beside attention weights (Kobayashi et al. 2020)."""
