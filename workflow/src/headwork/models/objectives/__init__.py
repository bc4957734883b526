"""Training objectives and their batches."""
