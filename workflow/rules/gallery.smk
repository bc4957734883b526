# The gallery: static pages of everything that lies in results/, of all scales at once.
def made_files(wildcards):
    """The items and claims that are there, of all scales, by absolute paths: the gallery shows them and makes none."""
    # relative paths are the outputs of other rules, which a plan of the gallery would make again
    files = Path("results").glob("*/papers/*/*")
    return sorted(str(path.resolve()) for path in files if path.suffix in (".svg", ".pdf", ".csv"))


rule gallery:
    """Static pages of all results that are there: results/index.html. They make nothing else, and show what is missing."""
    input:
        made_files,
        studies=[tracked(f"config/papers/{study}.yaml") for study in studies],
        sources=all_tracked(
            "config/*.yaml",
            "config/published/*/*.csv",
            "workflow/report/*/*.rst",
            "workflow/src/headwork/papers/gallery/templates/*",
            "workflow/src/headwork/papers/gallery/static/*",
        ),
    output:
        index="results/index.html",
        pages=directory("results/gallery"),
    log:
        "logs/gallery.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        root=os.path.relpath(ROOT),
        code=fingerprint("workflow/scripts/gallery.py"),
    message:
        "Write the gallery, results/index.html"
    script:
        "../scripts/gallery.py"
