"""What the vectors between the layers know."""
