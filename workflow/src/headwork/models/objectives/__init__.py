"""Training objectives and their batches.

translation      the objective of translation: label-smoothed cross-entropy per target token, at real positions only
language         the objectives of language models on the source side of a corpus: next or masked tokens
pretraining      the objective of BERT's pretraining: masked tokens and, optionally, next-sentence prediction
finetuning       fine-tuning on a GLUE task: objective and predictions
glue_tasks       examples of GLUE tasks to score a model on
masking          masking of tokens as in BERT's pretraining
noise            random replacement of source tokens
output_pieces    restriction of a model's output to the tokens of its output side
encoder_batches  batches for encoders: segments, masked differently in every epoch, and labelled texts
"""
