"""Annotated text: GLUE, coreference, word alignments.

glue         GLUE tasks in their official file formats, and shortened copies
mrpc         GLUE's train and dev split of MRPC
coreference  mentions and their entities, from GAP and from annotated CoNLL-U
alignments   gold word alignments between a sentence and its translation
aligners     statistical word aligners, baselines for alignments from attention
"""
