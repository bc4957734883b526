"""Distances between representations: PWCCA between models, layers and contexts (Voita et al. 2019b)."""
