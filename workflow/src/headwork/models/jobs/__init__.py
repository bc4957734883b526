"""What the rules of this phase call: one module a rule, from files to files."""
