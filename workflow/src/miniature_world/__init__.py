"""The miniature world: generated, annotated English and its three translations."""
