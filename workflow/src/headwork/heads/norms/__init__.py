"""Norms of the vectors that attention mixes, beside its weights (Kobayashi et al. 2020).

vector_norms       norms of the vectors that attention mixes
weights_and_norms  weights against norms: how much of each class of tokens attention really mixes in
cancelling         where a head puts much weight, its vectors are short: the two cancel
frequency_ranks    frequent tokens have short vectors
"""
