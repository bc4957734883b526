"""Hidden states of tokens and words, and their annotation."""
