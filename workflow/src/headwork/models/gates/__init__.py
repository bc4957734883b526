"""Head pruning by learned gates (Voita et al. 2019), and removal of heads.

hard_concrete  Hard Concrete gates, learned with an L0 penalty on heads kept
removal        gates folded into a model's weights, and heads removed from it
"""
