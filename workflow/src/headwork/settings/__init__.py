"""Config files and run sheets: read, laid over each other, and checked before anything runs.

options     mappings of the config as checked dataclasses
config      YAML files, overlays and JSON schemas; every error has its file and line
run_sheets  one row per trained model, and how rows refer to each other
run_checks  the run sheets against the config
checks      everything else that a schema cannot check, and all checks of a scale in order
"""
