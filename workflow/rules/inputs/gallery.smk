# How the inputs of gallery.smk are chosen.
SHOWN = ("svg", "pdf", "csv")


def made_files(wildcards):
    """The items and claims that are there, of all scales, by absolute paths: the gallery shows them and makes none."""
    # relative paths are the outputs of other rules, which a plan of the gallery would make again
    return sorted(
        str(path.resolve())
        for path in Path("results").glob("*/papers/*/*")
        if path.suffix[1:] in SHOWN
    )


def gallery_sources(*patterns):
    """The files of the repository that the pages are made of."""
    found = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [tracked(path.relative_to(ROOT)) for path in found]
