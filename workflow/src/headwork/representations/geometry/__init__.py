"""Trees and word senses in attention and hidden states (Raganato & Tiedemann 2018; Coenen et al. 2019)."""
