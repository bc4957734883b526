"""Lexemes of the miniature world, their inflection and CCG categories."""
