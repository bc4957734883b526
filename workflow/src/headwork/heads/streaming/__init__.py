"""One pass over a text for all statistics: batches in, sums by head, one tidy table out.

batches         batches with the word and tree of each token
parsed          parsed sentences as input of a model that reads one text
task_texts      examples of a task as batches for head statistics: [CLS] A [SEP] B [SEP], with the words and trees
                of both sentences
measure         all statistics of all heads in one pass over the text: one stream of batches, one forward pass each
site_weights    the weights of one site for some sentences, and reductions that statistics share
word_attention  attention between words, from attention between their subword tokens
tally           sums and counts per head, accumulated on the model's device, and their tidy table
sample          a uniform sample of fixed size from a stream of unknown length
"""
