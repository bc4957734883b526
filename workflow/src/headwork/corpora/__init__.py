"""Raw text to cleaned, split and segmented corpora."""
