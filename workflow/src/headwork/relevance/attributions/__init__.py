"""Self-attention attribution and methods based on it (Hao et al. 2021).

targets          quantities to attribute: probability of a class, a masked token, a translation or its next token
examples         a task's examples as input of a fine-tuned model, in batches of similar length
maps             whole attention maps of a batch of texts
self_attention   self-attention attribution: the contribution of each attention weight to a prediction
quadrature_error how far a sum of few nodes is from the integral
line             points of a line through a layer normalisation and a linear map, at the cost of two points
importance       importance of each head to a classifier, by several measures
trees            attribution trees: the edges that contribute most to a prediction
tree_statistics  edges of many attribution trees, and whether they alone preserve the prediction
triggers         adversarial triggers: the tokens with the highest attribution, inserted into other texts
attack           accuracy with triggers found by attribution, by attention, or at random
"""
