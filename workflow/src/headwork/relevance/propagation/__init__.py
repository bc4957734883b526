"""Layer-wise relevance propagation, and gradient times input.

steps      predictions whose relevance is asked for, and relevance on its way: one tensor for all of them
lrp        layer-wise relevance propagation: how much each head contributes to the prediction
tape       what a forward pass did, operation by operation, and the way back along it with relevance
rules      the rules that divide the relevance of an operation's output among its inputs, for all steps at once
attention  relevance through attention: from a head's contexts to its values, keys and queries
gradient   relevance as gradient times input, with the gradients of some operations replaced
"""
