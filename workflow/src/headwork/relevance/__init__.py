"""How much each head contributes to what the model predicts.

propagation   layer-wise relevance propagation, and gradient times input
attributions  self-attention attribution and what follows from it
sensitivity   how much a masked language model's loss depends on each attention weight
jobs          what the rules of this phase call: one module a rule, from files to files
"""
