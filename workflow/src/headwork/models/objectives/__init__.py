"""What a training minimises, and the batches it reads.

translation      the objective of translation: label-smoothed cross-entropy per target token, at real positions only
language         the objectives of language models over the source side of a corpus: the next piece, or masked ones
pretraining      the objective of BERT's pretraining: masked pieces, and with a head for it, whether B follows A
finetuning       fine-tuning on a GLUE task: how it is done, what is minimised, and what the model then says of each
                 example
masking          masked pieces, as BERT is trained on them
noise            subword tokens replaced by others: what a model reads is not quite its text
output_pieces    which pieces a model may say: those of the side it learns to say, though both sides share one
                 vocabulary
encoder_batches  batches for encoders: segments whose pieces are masked again in every pass, and labelled texts
"""
