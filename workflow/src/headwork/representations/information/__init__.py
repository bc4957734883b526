"""Information on tokens in each layer: mutual information and nearest neighbours (Voita et al. 2019b).

mutual_information  mutual information between tokens and clusters of their hidden states
neighbours          nearest neighbours of hidden states, and the labels that they share
preservation        properties that a token shares with its nearest neighbours in a layer
"""
