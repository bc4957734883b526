"""Models are built, trained, loaded, asked to translate, and scored."""
