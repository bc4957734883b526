"""The five patterns of attention maps (Kovaleva et al. 2019).

rules    the five patterns of attention maps, told apart by rules
network  a small network that tells the patterns of attention maps apart
"""
