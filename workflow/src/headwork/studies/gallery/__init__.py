"""The gallery of results: static HTML pages of every item and claim of every scale, which need no server.

scales      the scales that have results, each with its config and run sheet
captions    captions of items, rendered to HTML as in Snakemake's report
provenance  what an item was made of: files, models, config keys, and how long its jobs ran
entries     studies, items and claims as the pages show them, gathered from the results of all scales
importance  the measures of head importance, compared: correlation with ablation, area under the pruning curve
pages       writes the pages from the templates
"""
