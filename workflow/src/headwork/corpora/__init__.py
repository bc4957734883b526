"""Raw text to cleaned, split and segmented corpora.

sources       where text comes from: the data folder, the net, archives, and the formats it has
parallel      from sources to a parallel corpus
subwords      subword vocabularies, and how often their tokens occur
running_text  paragraphs, and the segments that encoders read
annotated     annotated text: GLUE, coreference, word alignments
miniature     the embedded world: a small annotated language and its three translations, generated from data files
"""
