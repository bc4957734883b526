"""What is left when heads are removed or disabled.

disabling  what a model answers with one head, or one layer, disabled
ranking    what a model answers when heads are removed in the order of their importance
effect     what heads of every layer do for single examples: the most, or the least, important of each layer removed
subjects   what heads are important for, in one form for classifiers and for translation models
measures   all measures of a head's importance on one scale: how well each ranks heads by what they are worth
speed      how fast a model translates without its closed heads, beside the model they were taken from
tables     a study's sweeps of pruning as two tidy tables: a row per run, and a row per run, kind and layer
jobs       what the rules of this phase call: one module a rule, from files to files
"""
