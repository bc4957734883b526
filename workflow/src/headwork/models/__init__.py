"""Building, training, loading and scoring of models, and translation with them.

architectures  models from a description in the config
loading        models from folders, the hub and packages, and initialisation from their weights
objectives     training objectives and their batches
training       training that can be interrupted and resumed
numerics       precision, and faster operations on a CPU
gates          head pruning by learned gates, and removal of heads
scoring        translations, predictions and their scores
jobs           the jobs that the rules of this phase call: one module a rule, from files to files
"""
