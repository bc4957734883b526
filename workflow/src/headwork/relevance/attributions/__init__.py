"""Self-attention attribution and methods based on it (Hao et al. 2021)."""
