"""What the rules of this phase call: one module a rule, from files to files.

translation_heads  one run's heads, from its checkpoint and the analysis text to the three files of results/heads
head_curve         functions of one translation model's heads after each snapshot of its training
segment_heads      one masked language model's heads on segments of running text
word_heads         one encoder's heads between words: which find syntactic heads, antecedents, and what takes part
                   in a predicate
task_heads         one fine-tuned run's heads on the dev set of its task: patterns, features, and what fine-tuning
                   changed
patterns           the two classifiers of attention patterns beside each other, on maps of all fine-tuned runs of a
                   study
alignments         one translation model's word alignments and norms, from checkpoint and aligned text
aligners           the reference for alignments: statistical word aligners on the same sentences
"""
