"""Models from folders, the hub and packages, and initialisation from their weights.

checkpoints  models on disk: a folder with safetensors, config and tokenizer that plain `transformers` loads
hub          any model by name: a folder, or a model of the hub or of a package
marian       translation models in Marian's binary format, as published for translation in the browser
fetching     download and checks of models by name, without running their code
transfer     initialisation of an encoder from a run with another language pair and vocabulary
"""
