"""Directions between the two words of a dependency relation, from the attending word to the attended one.

    dependent-to-head    s→v: a dependent attends to its head word
    head-to-dependent    v→s: a head word attends to its dependent

`STORED` is how the statistic `syntactic`, and functions named after it, write them in tables (``nsubj/to-head``), in
the order of their keys: tables of models that are gone keep them.
"""

DEPENDENT_TO_HEAD, HEAD_TO_DEPENDENT = "dependent-to-head", "head-to-dependent"
DIRECTIONS = (DEPENDENT_TO_HEAD, HEAD_TO_DEPENDENT)
STORED = {HEAD_TO_DEPENDENT: "to-dependent", DEPENDENT_TO_HEAD: "to-head"}
