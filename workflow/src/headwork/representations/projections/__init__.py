"""2-D projections: of heads by MDS, of vectors by UMAP or t-SNE.

methods  2-D projection of vectors by UMAP (umap-learn) or t-SNE
heads    2-D projection of heads, and a permutation test of the distances within layers
tokens   2-D projections of the tokens of chosen words in each layer, by t-SNE
"""
