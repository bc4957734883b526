"""The gallery of results: static HTML pages of every item and claim of every scale, which need no server."""
