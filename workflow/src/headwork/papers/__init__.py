"""Studies as data, their claims and verdicts, and the parts that all figures share.

study      a study as data: its items, which runs each item is made of, its claims, and the table of all items
published  published numbers: config/published/<study>/<item>.csv, each with its source and uncertainty
compare    comparison with published values: one row per quantity, with both values, our interval and sample size
notation   names of heads and functions in figures and tables: ``encoder 3-5``, ``v→s``, ``+1``, ``rare``
tables     readers of the tables of earlier phases, which check them
views      tables in the form that items and claims need
drawing    parts of figures: style, scales, panels
gallery    static pages of all results, with search
item       an item's three files: the figure as svg and pdf, and the numbers in it as csv
claims     claims of studies, and their evaluation
criteria   the functions that decide whether a claim holds, named by claims as `test`
data_folder  what a data folder lacks for a scale, and the items that can be made all the same
crate      a study's items with their provenance, as a Workflow Run RO-Crate for publication
"""
