"""Models from a description in the config."""
