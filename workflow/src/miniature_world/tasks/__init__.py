"""GLUE-like tasks of the miniature world in the official file formats, with known rules."""
