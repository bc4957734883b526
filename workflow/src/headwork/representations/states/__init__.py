"""Hidden states of tokens and words, and what is known of these.

analysed_text    the text whose tokens' representations are looked at, and what is known of its words: part of
                 speech and supertag
token_groups     the tokens of an analysed text, and groups of them by how frequent they are and by part of speech
supertags        the parts of a CCG category that look for their arguments at the left and at the right
hidden_states    hidden states of a text's tokens: extracted once, in shards on disk, and read by every analysis
                 that needs them
words            the states of words, and of whole sentences, from those of tokens in
                 `headwork.representations.states.hidden_states`
annotated_words  the vectors of annotated words between the layers of a model, in memory: the mean over each word's
                 pieces
"""
