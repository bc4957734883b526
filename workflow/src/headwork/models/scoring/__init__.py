"""Translations, predictions and their scores.

beam_search   beam search over a file of sentences, in batches of similar length
greedy        greedy search over many sentences with a model for the browser
ctranslate2   translation models for CTranslate2, whose beam search is several times faster on a CPU
bleu          translations against references: sacreBLEU with its signature and a bootstrap interval
case          whether case counts when a model's translations are scored
glue          GLUE's scores of a task's development set, each with its number of examples and a bootstrap interval
glue_changes  change of a task's score between two models, with a paired bootstrap interval
"""
