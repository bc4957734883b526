"""Annotated text: GLUE, coreference, word alignments.

glue         GLUE tasks in their official file formats, and shortened copies
mrpc         MRPC as GLUE has it: its training pairs come in one file, and a list says which of them are GLUE's dev
             split
coreference  who is spoken of again: mentions and their entities, from GAP's tables and from annotated CoNLL-U, in
             one form
alignments   gold alignments: which words of a sentence and of its translation stand for each other, as annotators
             or a world say
aligners     a statistical word aligner, the reference that alignments from attention are measured against
"""
