"""GLUE-like tasks of the miniature world, written in the official file formats, each with a rule that is known."""
