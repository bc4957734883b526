"""What models answer, and how good it is.

beam_search   beam search over a file of sentences, in batches of like length, in the order of the file
ctranslate2   translation models for CTranslate2, whose beam search is several times faster on a CPU
bleu          translations against references: sacreBLEU with its signature and a bootstrap interval
glue          GLUE's scores of a task's development set, each with its number of examples and a bootstrap interval
glue_changes  by how much a task's score changes when a model is changed, with a paired bootstrap interval
"""
