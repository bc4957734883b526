"""Training that can be interrupted and resumed.

objective   the interface of training objectives
batches     batches of sentence pairs of similar length, up to a token budget
train       training with token-budget batches and optional gates, resumable
optimizer   Muon for the matrices inside a model's layers and Adam for all else, as one optimizer
trainer     `transformers.Trainer` for an `Objective`, subclassed in few places
callbacks   logging, progress bar, snapshots of the weights and checkpoints on SIGTERM during training
resume      the checkpoint folder of a training, for resuming
processes   one training by several processes, one a GPU (or a core), by torchrun
provenance  provenance of a result: versions, data, machine, commit, settings, as JSON
"""
