"""What the rules of this phase call: one module a rule, from files to files.

relevance    one run's relevance, from its checkpoint and the analysis text to results/relevance/<run>.parquet
sensitivity  one masked language model's sensitivity to its attention, from its checkpoint and a text of paragraphs
             to a table
attribution  one fine-tuned run: attributions of its heads on examples of its task, and what follows from them
"""
