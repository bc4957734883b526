"""Jobs that join several methods, from files to files: one module a rule. Those of one method stand with it."""
