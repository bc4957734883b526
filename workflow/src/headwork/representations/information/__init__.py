"""What a layer keeps of a token: mutual information and nearest neighbours (Voita et al. 2019b).

mutual_information  how much a vector between two layers says about a token: mutual information with its cluster
neighbours          what nearest neighbours between layers have in common: identity, position, adjacent tokens, tags
preservation        what a token's nearest neighbours in a layer have in common with it: what the layer preserves
"""
