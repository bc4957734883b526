"""What is measured of a head's attention maps.

confidence        confidence of a head: the mean over tokens of the highest weight
entropy           entropy of a head's attention in nats, the mean over real tokens
offsets           where heads look, as offsets from the query: previous, next, itself, the sentence's last token
target_positions  which place a head looks at: the query itself, its neighbours, the last token, the end mark, or
                  another
rare              heads that look at the rarest token of the sentence
token_classes     classes of tokens that heads are often found to look at: [CLS], [SEP], full stops and commas, and
                  all others
surface           surface patterns: how much attention a head gives to kinds of tokens and to neighbours
token_features    how much attention a head gives to nouns, verbs, pronouns, subjects, objects, negation, [CLS] and
                  [SEP]
divergence        distances between heads as what they attend to differs
map_changes       how much attention maps change from one model to another
spread            how far the values of each head lie apart: mean, standard deviation, coefficient of variation,
                  least and greatest
spearman          Spearman's rank correlation, column by column
functions         which functions each head has, from its statistics
behaviours        what a head mostly does, by thresholds on what was measured of it
"""
