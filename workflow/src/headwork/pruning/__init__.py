"""Effects of removing or disabling heads.

disabling  model outputs with one head, or one layer, disabled
ranking    model outputs when heads are removed in the order of their importance
effect     effect on single examples of removing the most or least important heads of every layer
subjects   one interface to classifiers and translation models for importance measures
measures   all importance measures of a head
speed      translation speed of a model without its closed heads, relative to the unpruned model
tables     a study's pruning sweeps as two tidy tables: a row per run, and a row per run, kind and layer
jobs       the jobs that the rules of this phase call: one module a rule, from files to files
"""
