"""Preparation of a parallel corpus from its sources.

prepare       one streaming pass that tokenises, cleans and splits, then deduplication
tokenisation  tokenisation and detokenisation by Moses' rules (sacremoses), or none
cleaning      cleaning rules, and a report of removed pairs
splits        assignment of sentences to splits, by a hash or by their source
"""
