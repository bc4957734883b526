"""Layer-wise relevance propagation, and gradient times input.

steps      predictions whose relevance is propagated, and relevance tensors for all of them at once
lrp        layer-wise relevance propagation: contribution of each head to the prediction
tape       a record of the operations of a forward pass, and the backward propagation of relevance
rules      the rules that divide the relevance of an operation's output among its inputs, for all steps at once
attention  relevance through attention: from a head's contexts to its values, keys and queries
gradient   relevance as gradient times input, with the gradients of some operations replaced
"""
