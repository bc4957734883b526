"""Statistics of a head's attention maps.

confidence        confidence of a head: the mean over tokens of the highest weight
entropy           entropy of a head's attention in nats, the mean over real tokens
offsets           offsets from the query to the key attended to most: previous, next, itself, last token
target_positions  position attended to most: the query itself, its neighbours, the last token, EOS, or another
rare              heads that attend to the rarest token of the sentence
token_classes     classes of tokens: [CLS], [SEP], full stops and commas, and all others
surface           surface patterns: attention to classes of tokens and to neighbouring tokens
landmarks         attention to the first and last token, and to other occurrences of the same token
counterparts      attention to the same token in the other sentence of a pair
token_features    attention to nouns, verbs, pronouns, subjects, objects, negation, [CLS] and [SEP]
divergence        Jensen-Shannon divergence between the attention of heads
map_changes       cosine similarity of attention maps between two models
spread            mean, standard deviation, coefficient of variation, minimum and maximum of each head's values
spearman          Spearman's rank correlation, column by column
functions         functions of each head, from its statistics
"""
