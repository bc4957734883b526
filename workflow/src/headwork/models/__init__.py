"""Models are built, trained, loaded, asked to translate, and scored.

architectures  models from a description in the config
loading        models from folders, the hub and packages, and their weights as a start for others
objectives     what a training minimises, and the batches it reads
training       training that can be killed at any moment, and goes on
numerics       precision, and operations that are cheaper on a CPU
gates          heads that a model learns to do without, and models without them
scoring        what models answer, and how good it is
jobs           what the rules of this phase call: one module a rule, from files to files
"""
