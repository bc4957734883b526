"""The five patterns of attention maps (Kovaleva et al. 2019)."""
