"""Contribution of each head to the model's prediction."""
