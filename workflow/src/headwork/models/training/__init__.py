"""Training that can be killed at any moment, and goes on.

recipe      how a model is trained, as data: one checked mapping from the config's `recipes`
procedure   the version of the training procedure: what decides a model's weights besides its recipe, shape, data
            and seed
objective   what a training minimises: how its data become batches, what is lost on one, and how often the model is
            right
batches     batches of sentence pairs of like length, up to a budget of tokens: little padding, so little lost work
train       training: token-budget batches, gates if there are any, and a training that can be killed at any moment
trainer     `transformers.Trainer` for an `Objective`, subclassed in few places
callbacks   what is written and shown while a model trains
resume      the folder a training keeps its checkpoints in, so that a killed one can go on
processes   one training by several processes, one a GPU (or a core): torchrun around one function
provenance  where a result comes from: versions, data, machine, commit, settings, in one JSON file
"""
