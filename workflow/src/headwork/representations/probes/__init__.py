"""Probes, and the controls they must be compared with.

linear        linear classifiers on pairs of words, and the controls they must be compared with
attention     does attention know of dependencies? Words in pairs, by all heads' weights
structural    linear maps under which squared distances of words are distances in the tree, and squared norms depths
tree_scores   scores of predicted distances and depths against dependency trees
edge          labels of one or two spans from a scalar mix of layers
layer_summaries  expected layers, centres of gravity and divergences of mixing weights and cumulative scores
edge_summaries  the tables of edge probes: scores by layer and what they come to over layers, with intervals
edge_traces   single targets of edge probes, layer by layer
semantic      a linear map under which words of one sense are alike and of two senses are not
tagging       linear probes: the tag of a word from its vector alone, the encoder left as it is
sequence      the decoder-style probe: a decoder of one layer that reads a frozen encoder's layer and writes tags
dependency    probes that read trees off attention
word_maps     maps between words of all heads of a model, batch by batch, with what probes need beside them
word_vectors  word vectors that know nothing of context: GloVe's where they lie on disk, else trained on the text at
              hand
"""
