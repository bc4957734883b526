# The gallery: static pages of everything that lies in results/, of all scales at once.
include: "inputs/gallery.smk"


rule gallery:
    """Static pages of all results that are there: results/index.html. They make nothing else, and show what is missing."""
    input:
        made_files,
        studies=[tracked(f"config/papers/{study}.yaml") for study in studies],
        sources=gallery_sources(
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
