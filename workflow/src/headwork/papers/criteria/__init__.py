"""The functions that decide whether a claim holds, named by claims as `test`.

heads                 tests of claims about heads, and the rules of all verdicts
sweeps                tests of claims about pruning
encoders              tests of claims about encoders like BERT, norms and alignments
translation_encoders  tests of claims about the encoders of translation models
representations       tests of claims about representations by layer
tasks                 tests of claims about fine-tuned models and attention patterns
attribution           tests of claims about attribution, head importance, trees and triggers
geometry              tests of claims about trees and senses in encoders
probing               tests of claims about structural probes and edge probes
"""
