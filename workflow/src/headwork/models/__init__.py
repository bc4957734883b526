"""Building, training, loading and scoring of models, and translation with them."""
