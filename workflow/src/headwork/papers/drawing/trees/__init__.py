"""Trees over the words of a sentence.

arcs         dependency trees as arcs
attribution  an attribution tree drawn over its text: tokens from left to right, layers from below to above
embedded     trees drawn with branches of given lengths, and 2-D projections of their words
"""
