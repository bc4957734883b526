"""What decides whether a claim holds: the functions that claims name as `test`.

heads                 the tests that claims about heads name: small functions from selected rows to an estimate,
                      interval and verdict
sweeps                the tests that claims about pruning name; `headwork.papers.criteria.heads` says how verdicts
                      are reached
encoders              the tests that claims about encoders like BERT, and about norms and alignments, name (see
                      `criteria.heads`)
translation_encoders  the tests that claims about the encoders of translation models name (see `criteria.heads`)
representations       the tests that claims about representations between layers name (see `criteria.heads`)
tasks                 the tests that claims about fine-tuned models and their patterns name (see `criteria.heads`)
attribution           the tests that claims about attribution, importance of heads, trees and triggers name (see
                      `criteria.heads`)
geometry              the tests that claims about trees and senses in encoders name (see `criteria.heads`)
"""
