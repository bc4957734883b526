"""Studies as data, their claims and verdicts, and what all figures share.

study      a study as data: its items, which runs each item is made of, its claims, and the table of all items
published  published numbers: config/published/<study>/<item>.csv, each with where it was taken from and how sure it
           is
compare    ours beside published: one row per quantity, with our interval and sample size, their value and its
           source
notation   how heads and their functions are written where people read them: ``encoder 3-5``, ``v→s``, ``+1``,
           ``rare``
tables     reads the tables of the phases before, and says what a wrong one lacks
views      tables cut as items and claims look at them
drawing    what figures are made of: one style, scales, panels
item       an item's three files: the figure as svg and pdf, and the numbers in it as csv
claims     claims of studies, and how they are judged
criteria   what decides whether a claim holds: the functions that claims name as `test`
crate      a study's items as a Workflow Run RO-Crate: what was made, by what, from what, so that it can be
           published
"""
