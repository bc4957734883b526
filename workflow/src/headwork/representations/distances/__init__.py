"""How much representations differ: PWCCA between models, layers and contexts (Voita et al. 2019b).

pwcca            how alike two sets of vectors of the same tokens are: projection-weighted CCA
change           how much a layer changes the tokens of a group: PWCCA distance between its input and its output
influence        how much a token influences the others of its sentence in one layer: PWCCA distance without it as a
                 key
layer_distances  how far apart models are in each layer, and the layers of each model: PWCCA distance over all words
                 of a text
jackknife        how sure an estimate is: the same estimate without each tenth of the text
"""
