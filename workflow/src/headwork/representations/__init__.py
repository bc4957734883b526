"""Information in attention maps and hidden states: jobs, and the methods that they join."""
