"""What the rules of this phase call: one module a rule, from files to files.

states         the hidden states of one run on a text, read whole or with pieces masked
evolution      how one run's representations evolve from layer to layer, from its states on disk
influence      how much tokens of each group influence the others in one run, from its states on disk: see
               `influence`
plane          one run's heads on a plane, from the table of distances to a point for each
probes         probes that read trees off one encoder's attention, and what they must be compared with
induced_trees  one encoder on a treebank: where each head looks, and the trees its maps induce
tags           what the layers of one frozen encoder know of parts of speech, chunks, entities and semantic tags
geometry       what one encoder's attention and states know of trees, in one job
structural_probes  trees that distance and depth probes read off one encoder's layers, and their baselines
edge_probes    at which layers one encoder holds the labels of spans, of every task
senses         what one encoder's states know of word senses, in one job
"""
