"""Mutual information, in nats, between the input token and the cluster (mini-batch k-means) of its hidden state,
after the embeddings (0) and each layer, by objective.

Solid: plug-in estimate from {{ config.representations.evolution.information.tokens }} tokens of the {{
config.representations.evolution.information.types }} most frequent types, with {{
config.representations.evolution.information.clusters }} clusters. Dotted: permuted-label control, an estimate
of the upward bias, whose true value is 0. Grey: the untrained encoder that all three objectives start from.
Error bars: jackknife intervals over tenths of the text. Published (read off a figure): 1000 types and 10,000
clusters, from millions of tokens.
"""

from headwork.studies import style
from headwork.studies.drawing.panels import same_y

from .drawings import curve_handles, objective_curves, published_curves, shown
from .tables import estimates


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    rows = estimates(evolution, "information/input", "whole")
    figure = style.new(style.PAGE, 6.4)
    left, right = figure.subplots(1, 2)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="mutual information with\nthe input token, nats", ylim=(0, None))
    right.set(title="published", ylim=(0, None))
    same_y([left, right])
    left.legend(handles=curve_handles(left, "permuted labels"), loc="center left", fontsize=6)
    return figure, shown(rows, published, statistic="information/input", key="whole")
