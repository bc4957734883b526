"""What the rules of this phase call: one module a rule, from files to files.

disabling  one fine-tuned run with each of its heads, and each of its layers, disabled: the task's score on full dev
           sets
ranking    one fine-tuned run: accuracy when heads are removed in the order of their importance, by each measure of
           it
removal    one pruned run: its model without its closed heads, and how fast that translates
measures   one model, every measure of its heads' importance, and what each head is worth: the synthesis of the
           studies
"""
