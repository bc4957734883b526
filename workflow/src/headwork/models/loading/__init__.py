"""Models from folders, the hub and packages, and their weights as a start for others.

checkpoints  models on disk: a folder with safetensors, config and tokenizer that plain `transformers` loads
hub          any model by name: a folder, a model of the hub or of a package, loaded with the code that loads our
             own
fetching     models by name: fetched, checked, and never run
transfer     the encoder of one run as the encoder of another: of another language pair, with another vocabulary
"""
