"""Distances between representations: PWCCA between models, layers and contexts (Voita et al. 2019b).

pwcca            projection-weighted CCA: similarity of two sets of vectors of the same tokens
change           change of a group of tokens by a layer: PWCCA distance between its input and output
influence        influence of a token on others in one layer: PWCCA distance without it as a key
layer_distances  PWCCA distances between models in each layer, and between layers of a model
jackknife        jackknife replicates of an estimate: without each tenth of the text
"""
