# The gallery: static pages of everything that lies in results/, of all scales at once.
rule gallery:
    """Static pages of all results that are there: results/index.html. It makes no other result, and shows what is missing."""
    input:
        # by absolute paths: relative ones are outputs of other rules, which a plan of the gallery would make again
        lambda wildcards: sorted(
            str(path.resolve())
            for path in Path("results").glob("*/studies/*/*")
            if path.suffix in (".svg", ".pdf", ".csv")
        ),
        atlases=lambda wildcards: sorted(
            str(path.resolve()) for path in Path("results").glob("atlas/*/atlas.html")
        ),
        studies=[tracked(f"{STUDIES}/{study}/study.yaml") for study in studies],
        sources=all_tracked(
            "config/*.yaml",
            f"{STUDIES}/*/*.py",
            f"{STUDIES}/*/published/*.csv",
            f"{STUDIES}/*/runs.tsv",
            "workflow/src/headwork/studies/gallery/templates/*",
            "workflow/src/headwork/studies/gallery/static/*",
        ),
    output:
        index="results/index.html",
        pages=directory("results/gallery"),
    log:
        "logs/gallery.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("gallery", "headwork.studies.gallery.pages.write_pages"),
        root=os.path.relpath(ROOT),
    message:
        "Write the gallery, results/index.html"
    script:
        "../scripts/call.py"
