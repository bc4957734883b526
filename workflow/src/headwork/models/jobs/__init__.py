"""What the rules of this phase call: one module a rule, from files to files.

train           one row of the run sheet, from corpus to checkpoint: build, train (or go on training), save
language_model  one row of the run sheet with the objective `lm` or `mlm` on a corpus: a language model over its
                source side
pretrain        one row of the run sheet with the objective `mlm`: from paragraphs to a pretrained encoder
finetune        one row of the run sheet with the objective `classification`: from a pretrained encoder to a fine-
                tuned one
bring_in        a model by name as a run, taken as it is: nothing is trained, and no part that it lacks is made up
distil          a published model's translations of selected sentences, in blocks
distilled_quality  faults of these that can be seen without a reference, and a round trip
translate       one run's translations of the test set and their scores
piece_frequencies  how often each piece of a vocabulary stands in a text
remove_heads    one gated run's model without the heads it closed, from folder to folder
finish          the folder of a finished run: what every training ends with
publish         a trained model as a folder for others, with a model card
progress        how far the trainings of a scale are
estimate        what the runs of a sheet will cost, before any of them is made: jobs, GPU hours, disk
cluster         how long a scale takes on 1, 8 and 64 nodes: its plan, simulated
"""
