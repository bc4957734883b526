"""Trees and word senses in attention and hidden states (Raganato & Tiedemann 2018; Coenen et al. 2019).

induced_trees    dependency trees induced from single heads
tree_embeddings  when do points lie as far apart as the nodes of a tree?
senses           words in context and their senses: nearest centroids, and how often they are right
concatenation    does a neighbour in another sense pull a word's vector away from its own?
"""
