"""Head pruning by learned gates (Voita et al. 2019), and removal of heads."""
