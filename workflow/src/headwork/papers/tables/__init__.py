"""Reads the tables of the phases before, and says what a wrong one lacks.

readers      reads the tables that items and claims are made of, and says clearly what a wrong one lacks
encoders     reads the tables of encoders like BERT that items and claims are made of (see
             `headwork.papers.tables.readers`)
tasks        reads the tables of fine-tuned runs that items and claims are made of (see
             `headwork.papers.tables.readers`)
attribution  reads the tables of attributed runs: importance of heads, completeness, trees, triggers, heads removed
geometry     reads the tables of what encoders know of trees and senses, for items and claims (see `tables.readers`)
evolution    reads the tables of what happens between layers (see `headwork.papers.tables.readers`), and cuts them
             for figures
examples     chosen sentences with their attention maps (results/heads/<run>.examples.json), for figures that show
             one map
"""
