"""Sources of text: the data folder, downloads, archives, and their formats."""
