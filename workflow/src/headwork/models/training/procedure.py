"""The version of the training procedure, which determines weights with recipe, architecture, data and seed.

Rules that measure or draw carry a fingerprint of all code that they import, so that any change of it makes their
results out of date. A training of hours must not be repeated because a function moved, so rules that train carry this
number instead. `tests/unit/models/test_procedure.py` trains each objective for a few steps on fixed data and compares
the losses with recorded ones: whoever changes what is computed (batches, initial weights, loss, optimiser, gates, order
of random numbers) raises the number and records the losses again; a change that leaves the losses leaves the number
too.
"""

PROCEDURE = 1
