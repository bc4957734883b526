"""Layer-wise relevance propagation, and gradient times input."""
