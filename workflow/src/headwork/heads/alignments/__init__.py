"""Word alignments from attention (Kobayashi et al. 2020)."""
