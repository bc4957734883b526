"""2-D projections: of heads by MDS, of vectors by UMAP or t-SNE.

methods  many vectors on a plane: UMAP by umap-learn, or t-SNE
heads    heads on a plane, and whether those of one layer hang together
tokens   tokens of chosen words on a plane, layer by layer, by t-SNE (see
         `headwork.representations.projections.methods`)
"""
