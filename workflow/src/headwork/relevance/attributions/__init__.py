"""Self-attention attribution and what follows from it (Hao et al. 2021).

targets          what can be attributed: the probability of a class, of a masked piece, of a translation or of its
                 next piece
examples         examples of a task on which a fine-tuned model's heads are looked at, in batches of like length
maps             whole attention maps of a batch of texts, for methods that look at their single weights
self_attention   self-attention attribution: how much each attention weight adds to what a model says
line             points of a line through a layer normalisation and the linear map after it, at the cost of two of
                 them
importance       how important each head is to a classifier, by several measures
trees            attribution trees: along which few edges what a classifier says was put together
tree_statistics  attribution trees of what a model says of many examples: their edges, and whether they alone keep
                 the answer
triggers         adversarial triggers: the few pieces that an answer hangs on, set into other texts
attack           how a fine-tuned model fares with triggers in its texts: found by attribution, by attention, or of
                 chance
"""
