"""Influence of a token on the others, by frequency rank: the PWCCA distance between the hidden states of all
other tokens of its sentence with and without attention to it.

In one layer the token is masked as a key, so that no other token attends to it. Every group has {{
config.representations.influence.tokens }} tokens, one a sentence. A curve is a layer, the darker the higher;
error bars are jackknife intervals over tenths of the text. Published values exist for layer 1 and three
groups only.
"""

from headwork.studies import style

from .drawings import by_frequency, shown
from .tables import estimates


def draw(influence, published):
    rows = estimates(influence, "influence/rank")
    rows = rows[rows["trained"] & (rows["layer"] >= 1)]
    figure = style.new(style.PAGE, 13.0)
    by_frequency(figure, rows, published, "influence")
    return figure, shown(rows, published, statistic="influence/rank")
