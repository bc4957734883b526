"""Effects of removing or disabling heads."""
