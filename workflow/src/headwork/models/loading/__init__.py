"""Models from folders, the hub and packages, and initialisation from their weights."""
