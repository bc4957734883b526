"""Hidden states of tokens and words, and their annotation.

analysed_text    the analysed text, with part of speech and supertag of its words
token_groups     the tokens of an analysed text, and groups of them by frequency and part of speech
supertags        left and right arguments of a CCG category
hidden_states    hidden states of a text's tokens, extracted once into shards on disk
words            the states of words and sentences, from those of tokens
annotated_words  the hidden states of annotated words, in memory
"""
