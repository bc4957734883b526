"""Change of tokens by a layer, the PWCCA distance between its input and output, for ranges of token frequency
rank.

Every group has {{ config.representations.evolution.groups.tokens }} tokens, since the distance depends on
their number. A curve is a layer, the darker the higher; error bars are jackknife intervals over tenths of the
text. Published values exist for the most and the least frequent group only. Right (this project's own
control): the untrained encoder that all objectives start from; what it shows too is not learned. Layer 1 is
left out of both, because the embeddings of a group with few types span few dimensions.
"""

from headwork.studies import style

from .drawings import by_frequency, shown
from .tables import estimates


def draw(evolution, published):
    rows = estimates(evolution, "change/rank")
    rows = rows[rows["layer"] >= 2]
    figure = style.new(style.PAGE, 13.0)
    by_frequency(figure, rows, published, "change")
    return figure, shown(rows, published, statistic="change/rank")
