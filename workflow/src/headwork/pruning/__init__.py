"""What is left when heads are taken away."""
