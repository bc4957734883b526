"""Heads that a model learns to do without (Voita et al. 2019), and models without them.

hard_concrete  Hard Concrete gates: which heads a model can do without, learned with an L0 penalty on those it keeps
removal        heads that are gone: folded to nothing within a model of the same shape, or cut out of it for good
"""
