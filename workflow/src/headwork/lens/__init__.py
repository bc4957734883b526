"""The one place where attention is seen or changed, on any model.

lens        the lens: see and change what the attention heads of a model do, and leave no trace on it
attention   the attention function that every model under the lens runs, registered with `transformers` as
            "headwork"
asked       what is asked of the attention modules under a lens
anatomy     where the attention of a model lies: its sites, their heads, and the output projection W_O of each
families    model families: where each keeps its attentions, and all that only one of them needs
layers      the layers of a model: the vectors between them, and one layer run by itself
values      the vectors that attention mixes, read on their way: what a site attends to, and what each head makes of
            it
reductions  what most head statistics need of attention rows, exactly, and with as few readings of the weights as
            possible
edges       attention along some edges only: what a model says when the others carry nothing
prefix      passes over one batch that are alike up to some layer: what lies below it is computed once
last_layer  the last layer of an encoder for some places of the text only: all that a classifier reads is [CLS]
forwards    modules that for a while compute something else
"""
