"""Parts of figures: style, scales, panels.

style              one look for every figure: fonts, sizes in centimetres, colours that a colour-blind reader can
                   tell apart
scales             scales that let panels be compared by eye: one y axis, depth instead of layers, colours over the
                   range of the data
sheet              tables drawn as figures, in the manner of printed ones: no boxes, a few horizontal rules, bold
                   where it matters
layers             panels over the layers of a model: a dot for each head, and a line through the layers' means
lines              a map drawn as lines: words at the left attend to words at the right, the stronger the darker
grids              panels of layers by heads in their own order, coloured by one number a head
headmap            panels of layers by heads: a number in each cell, or each head's functions
stacks             stacks of squares: one per amount of pruning, one square per head kept
curves             panels of curves over a sweep: a dot for each run, whatever its seed, and a line through the
                   means of its points
task_panels        figures with a panel for each task: grids of heads, and means of layers
evolution          panels of what happens from layer to layer, a colour an objective, and of groups of tokens, a
                   colour a layer
trees              trees over the words of a sentence: arcs, attribution trees, embedded trees
probing            curves of probes over layers, a curve a run; depths of the words of a sentence
pipeline           tasks in the order of the pipeline: bars of layers and mixing weights, probabilities of labels
densities          densities of the Concrete and the Hard Concrete distribution
"""
