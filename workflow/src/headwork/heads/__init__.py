"""What each head does: statistics in one pass over the text, and the functions they amount to."""
