"""One pass over a text for all statistics: batches in, sums by head, one tidy table out.

batches         batches whose tokens are known: which are real words' pieces, which word each belongs to, and the
                word's tree
parsed          parsed sentences as a model without a second text reads them
task_texts      examples of a task as batches for head statistics: [CLS] A [SEP] B [SEP], with the words and trees
                of both sentences
measure         all statistics of all heads in one pass over the text: one stream of batches, one forward pass each
site_weights    what statistics are shown: the weights of one site for some sentences, and the reductions that many
                of them share
word_attention  attention between some words, from attention between their pieces
tally           sums and counts per head, gathered batch by batch on the model's device, and the tidy table they end
                in
sample          a sample of fixed size from a stream of unknown length: memory stays flat, and every thing has an
                equal chance
"""
