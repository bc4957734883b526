"""A bound on the kernels that oneDNN keeps, for training in bf16 on a CPU with batches of ever new shapes.

oneDNN makes a kernel, about a megabyte, for each new shape of a product in bf16. Its cache and that of torch's bindings
each keep 1,024 of them, although a batch needs about fifty and the next one, of other lengths, others. Peak MiB (six
layers of width 256, batches of 8,000 tokens, one core with AMX, torch 2.13):

    updates                20       30       40       60    3,000
    1,024 kernels       4,223    4,862                     14,756
    128 kernels         3,605             3,778    3,778

CPU time is the same; with batches of 2,000 tokens, whose shapes recur more often, it is 6 % more.
"""

import os

KERNELS = 128
# of oneDNN's own cache, and of that of torch's bindings
VARIABLES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")


def keep_few_kernels() -> None:
    """Bound both caches, unless the environment does; without effect in a process that has made such a kernel."""
    for variable in VARIABLES:
        os.environ.setdefault(variable, str(KERNELS))
