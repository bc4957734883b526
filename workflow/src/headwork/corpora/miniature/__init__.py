"""The embedded world: a small annotated language and its three translations, generated from data files."""
