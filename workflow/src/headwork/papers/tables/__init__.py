"""Readers of the tables of earlier phases, which check them.

readers      readers of the tables that items and claims need, which check columns and rows
encoders     readers of the tables of encoders like BERT
tasks        readers of the tables of fine-tuned runs
attribution  readers of the tables of attribution: importance of heads, completeness, trees, triggers, heads removed
geometry     readers of the tables of probes for trees and senses
evolution    readers of the tables of representations by layer, and their selection for figures
probing      readers of the tables of structural probes and edge probes
examples     example sentences with their attention maps (results/heads/<run>.examples.json)
"""
