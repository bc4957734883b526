"""The gallery of results: static HTML pages of every item and claim of every scale, which need no server.

`pages` writes results/index.html and results/gallery/: one page per study, one of all items and claims with search and
filters, one that compares measures of head importance. Figures are referenced where they lie, in
results/<scale>/papers/<study>/. Scales and items without results are named with the command that makes them.

scales      the scales that have results, each with its config and run sheet
captions    captions of items, rendered to HTML as in Snakemake's report
provenance  what an item was made of: files, models, config keys, and how long its jobs ran
entries     studies, items and claims as the pages show them, gathered from the results of all scales
importance  the measures of head importance, compared: correlation with ablation, area under the pruning curve
pages       writes the pages from the templates

`static/minisearch.js` is MiniSearch 7.2.0 (MIT), the search engine of the search page. It was fetched by
``npm pack minisearch@7.2.0`` and copied from ``package/dist/umd/index.js``.
"""
