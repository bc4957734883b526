"""The five patterns of attention maps (Kovaleva et al. 2019).

rules    rules that classify attention maps
network  a small convolutional network that classifies attention maps
"""
