"""Selection of English sentences that a model is to translate."""
