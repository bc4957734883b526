"""Statistics of a head's attention maps."""
