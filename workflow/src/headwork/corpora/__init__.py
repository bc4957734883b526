"""Raw text to cleaned, split and segmented corpora.

sources       sources of text: the data folder, downloads, archives, and their formats
parallel      preparation of a parallel corpus from its sources
subwords      subword vocabularies and token frequencies
running_text  paragraphs, and segments for encoders
selection     sentences to be translated by a model, none of them of a test set
annotated     annotated text: GLUE, coreference, word alignments
miniature     the miniature world: generated, annotated English and its three translations
"""
