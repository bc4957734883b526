"""Information in attention maps and hidden states.

states       hidden states of tokens and words, and their annotation
information  information on tokens in each layer: mutual information and nearest neighbours
distances    distances between representations: PWCCA between models, layers and contexts
projections  2-D projections: of heads by MDS, of vectors by UMAP or t-SNE
probes       probes and their controls
geometry     trees and word senses in attention and hidden states
jobs         the jobs that the rules of this phase call: one module a rule, from files to files
"""
