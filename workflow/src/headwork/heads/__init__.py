"""Analysis of single heads: statistics in one pass over a text, and the functions derived from them."""
