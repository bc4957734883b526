"""What attention maps and the vectors between layers know.

states       hidden states of tokens and words, and what is known of these
information  what a layer keeps of a token: mutual information and nearest neighbours
distances    how much representations differ: PWCCA between models, layers and contexts
projections  2-D projections: of heads by MDS, of vectors by UMAP or t-SNE
probes       probes, and the controls they must be compared with
geometry     trees and word senses in attention and hidden states
jobs         what the rules of this phase call: one module a rule, from files to files
"""
