"""One pass over a text for all statistics: batches in, sums by head, one tidy table out."""
