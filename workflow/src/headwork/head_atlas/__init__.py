"""The head atlas: what each attention head of any model does on a text, in Python and as one HTML page."""
