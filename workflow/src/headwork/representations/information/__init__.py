"""Information on tokens in each layer: mutual information and nearest neighbours (Voita et al. 2019b)."""
