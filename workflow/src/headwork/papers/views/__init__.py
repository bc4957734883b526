"""Tables cut as items and claims look at them.

accuracies            the best head for each relation and direction against its positional baseline
sweeps                sweeps of pruning, cut as items and claims look at them
encoders              tables of encoders and alignments, cut as the items of clark2019 and kobayashi2020 look at
                      them
translation_encoders  what items show of the inside of encoders: places attended to, trees, tags of words
tasks                 tables of fine-tuned runs, cut as the items and claims of kovaleva2019 look at them
attributions          tables of attributed runs, cut as the items and claims of hao2021 look at them
measures              measures of importance against what heads are worth: rank correlations, and areas under
                      pruning curves
"""
