"""2-D projections: of heads by MDS, of vectors by UMAP or t-SNE."""
