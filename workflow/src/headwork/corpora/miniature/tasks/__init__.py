"""GLUE-like tasks of the miniature world, written in the official file formats, each with a rule that is known.

answers     QNLI of the world: does the sentence answer the question?
clauses     what a sentence of a task says, apart from how it is worded: clauses with their noun phrases, and their
            wording
draw        drawing clauses at random: every word as likely as the next, but only where the lexicon says that it
            fits
entailment  MNLI and RTE of the world: does the second sentence follow from the first?
paraphrase  MRPC and QQP of the world: do two sentences say the same, do two questions ask the same?
realise     from a clause and its wording to an English sentence with its tree, roles and all other gold annotation
relations   what words mean to one another and to the reader: synonyms, hypernyms, sentiment; read from TSV files
sentiment   SST-2 of the world: does the sentence speak well or badly of something?
similarity  STS-B of the world: how much of what two sentences say is the same?
write       the world's tasks written down: a folder per task in the official format of GLUE, with gold trees of the
            dev sets
"""
