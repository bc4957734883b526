"""Annotated text: GLUE, coreference, word alignments."""
