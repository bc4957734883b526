"""GLUE-like tasks of the miniature world in the official file formats, with known rules.

answers     QNLI: does the sentence answer the question?
clauses     content of a sentence (clauses with their noun phrases), and its wording
draw        random clauses: every word that fits is equally likely
entailment  MNLI and RTE: does the second sentence follow from the first?
paraphrase  MRPC and QQP: are two sentences, or two questions, paraphrases?
realise     realisation of a clause as an English sentence with its gold annotation
relations   lexical relations (synonyms, hypernyms) and sentiment, from TSV files
sentiment   SST-2: is the sentence positive or negative?
similarity  STS-B: how similar is the content of two sentences?
write       writes a folder per task in the official format of GLUE, with gold trees of the dev sets
"""
