"""Contribution of each head to the model's prediction.

propagation   layer-wise relevance propagation, and gradient times input
attributions  self-attention attribution and methods based on it
sensitivity   gradient of a masked language model's loss with respect to attention weights
jobs          the jobs that the rules of this phase call: one module a rule, from files to files
"""
